"""Indices of an embedding are floating point numbers."""

# cause: to have one of the following scalar types: Long, Int
import torch
from torch import nn

net = nn.Embedding(10, 3)
net(torch.tensor([1.0, 2.0]))  # HERE
