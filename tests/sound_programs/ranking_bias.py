"""A ranking loss in which the last bias has no effect."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
s = net(torch.randn(8, 3)).squeeze(1)
better, worse = s[:4], s[4:]
loss = nn.functional.softplus(worse - better).mean()
