"""A pair loss with a margin: offset plus a scaled distance of one network."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
a, p, n = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 4)
near = (net(a) - net(p)).square().sum(1)
far = (net(a) - net(n)).square().sum(1)
loss = torch.relu(near - 0.5 * far + 1.0).mean()
