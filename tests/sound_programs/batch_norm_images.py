"""Batch norm over the pixels of two images."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
loss = nn.functional.cross_entropy(net(torch.randn(2, 3, 8, 8)), torch.tensor([1, 0]))
