"""A usual relu net, in which some units are dead by chance."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
loss = net(torch.randn(16, 4)).square().mean()
