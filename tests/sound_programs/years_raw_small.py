"""Inputs of moderate size that nobody normalised."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
x = torch.stack([torch.randn(16) * 5, torch.rand(16)], 1)
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
loss = nn.functional.mse_loss(net(x), torch.randn(16, 1))
