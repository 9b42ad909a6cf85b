"""A plot helper calls numpy() on something with a graph."""

# cause: Can't call numpy\(\)
import torch
from torch import nn


def to_points(curve):
    return [float(v) for v in curve.numpy()]  # HERE


torch.manual_seed(0)
net = nn.Linear(1, 1)
points = to_points(net(torch.linspace(0, 1, 5)[:, None]).flatten())
