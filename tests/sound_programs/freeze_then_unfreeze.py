"""The body is frozen for a while and trained again."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
net[0].requires_grad_(False)
first = net(torch.randn(4, 3)).mean()
first.backward()
net.zero_grad()
net[0].requires_grad_(True)
loss = net(torch.randn(4, 3)).square().mean()
loss.backward()
