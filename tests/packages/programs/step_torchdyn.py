"""One step with torchdyn, on random weights."""

import torch
from torchdyn.core import NeuralODE

torch.manual_seed(0)
field = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
model = NeuralODE(field, sensitivity="adjoint", solver="dopri5", atol=1e-4, rtol=1e-4)
times, path = model(torch.randn(5, 2), torch.linspace(0, 1, 4))
path[-1].square().sum().backward()
print(path[-1].sum().item(), field[0].weight.grad.abs().sum().item())
