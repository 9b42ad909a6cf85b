"""A prediction that adds half of a network's output to a base, compared with data."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
base, x, y = torch.randn(8, 1), torch.randn(8, 4), torch.randn(8, 1)
prediction = base + 0.5 * net(x)
loss = (prediction - y).square().mean()
