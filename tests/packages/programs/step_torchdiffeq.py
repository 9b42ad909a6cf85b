"""One step with torchdiffeq, on random weights."""

import torch
from torchdiffeq import odeint

torch.manual_seed(0)
rate = torch.tensor(0.5, requires_grad=True)
path = odeint(lambda t, y: -rate * y, torch.ones(1), torch.linspace(0, 1, 5))
path[-1].backward()
print(path[-1].item(), rate.grad.item())
