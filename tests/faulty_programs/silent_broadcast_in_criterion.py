"""A criterion class compares (N,) with (N, 1)."""

# cause: broadcast
# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


class Huber(nn.Module):
    def forward(self, prediction, target):
        gap = target - prediction  # HERE
        return torch.where(gap.abs() < 1, gap**2 / 2, gap.abs() - 0.5).mean()


torch.manual_seed(0)
net = nn.Linear(3, 1)
loss = Huber()(net(torch.randn(9, 3)).squeeze(), torch.randn(9, 1))
