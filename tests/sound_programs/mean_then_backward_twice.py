"""retain_graph for two losses on purpose."""

# ask: torch.explain.missing(net, second)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
out = net(torch.randn(4, 3))
first, second = out[:, 0].mean(), out[:, 1].mean()
first.backward(retain_graph=True)
second.backward()
