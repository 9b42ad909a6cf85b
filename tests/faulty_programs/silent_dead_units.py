"""A bias that silences most of the units."""

# cause: dead units: 1[0-9] of 16 units
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Linear(16, 1))
with torch.no_grad():
    net[0].bias[:14] = -50.0
hidden = torch.relu(net[0](torch.randn(32, 4)))  # HERE
loss = net[1](hidden).square().mean()
