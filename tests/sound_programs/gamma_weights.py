"""A weighted sum of predictions that looks like a discounted target, for data."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x, y, mask = torch.randn(6, 3), torch.randn(6, 1), torch.tensor([[0.5], [0.5], [0.0], [0.5], [0.0], [0.5]])
smoothed = y + mask * net(x)
loss = (smoothed - torch.ones(6, 1)).square().mean()
