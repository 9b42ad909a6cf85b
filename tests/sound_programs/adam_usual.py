"""Adam at its usual rate with a network initialised to zero at the end."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
loss = (net(torch.randn(8, 4)) - 3).square().mean()
