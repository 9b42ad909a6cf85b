"""Both are columns."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
x, y = torch.randn(7, 5), torch.randn(7).unsqueeze(1)
loss = (net(x) - y).abs().mean()
