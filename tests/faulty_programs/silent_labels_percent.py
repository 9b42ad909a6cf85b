"""Percentages as targets of a BCE by module."""

# cause: labels out of range
# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


def criterion(scores, targets):
    return nn.BCEWithLogitsLoss()(scores, targets)  # HERE


torch.manual_seed(0)
net = nn.Linear(3, 2)
loss = criterion(net(torch.randn(4, 3)), torch.tensor([[10.0, 90], [0, 100], [50, 50], [20, 80]]))
