"""Dropout with a high rate; the mask is random, some units are zero."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
loss = nn.functional.cross_entropy(net(torch.randn(32, 8)), torch.randint(0, 2, (32,)))
