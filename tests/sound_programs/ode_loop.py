"""An unrolled integrator."""

# ask: torch.explain.missing(field, loss)
import torch
from torch import nn


def integrate(f, y, steps, dt=0.1):
    path = [y]
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        y = y + dt * k2
        path.append(y)
    return torch.stack(path)


torch.manual_seed(0)
field = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
path = integrate(field, torch.tensor([[1.0, 0.0]]), 5)
loss = (path[-1] - torch.tensor([[0.0, 1.0]])).square().sum()
loss.backward()
