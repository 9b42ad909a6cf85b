"""An L2 penalty and an L1 penalty by generator expressions."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(8, 3), torch.randn(8, 1)
penalty = sum(p.pow(2).sum() for p in net.parameters()) + sum(p.abs().sum() for p in net.parameters())
loss = nn.functional.mse_loss(net(x), y) + 1e-3 * penalty
loss.backward()
