"""A consistency loss between two augmented views, both with gradients."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
x = torch.randn(8, 4)
a, b = net(x + 0.1 * torch.randn_like(x)), net(x + 0.1 * torch.randn_like(x))
loss = nn.functional.mse_loss(a, b) + nn.functional.mse_loss(a, x)
