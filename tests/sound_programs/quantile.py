"""Quantile regression: three columns against one."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
x, y = torch.randn(8, 4), torch.randn(8)
q = torch.tensor([0.1, 0.5, 0.9])
error = y[:, None] - net(x)
loss = torch.maximum(q * error, (q - 1) * error).mean()
