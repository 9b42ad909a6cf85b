"""Layer norm does not mind a batch of one."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 1))
loss = net(torch.randn(1, 3)).square().mean()
