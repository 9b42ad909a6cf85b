"""As many samples as features, with a bias row."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 5)
x, y = torch.randn(5, 5), torch.randn(5)
loss = (net(x) - y).square().mean()
