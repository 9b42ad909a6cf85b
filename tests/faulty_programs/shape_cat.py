"""Tensors of different sizes are joined."""

# cause: Sizes of tensors must match except in dimension
import torch

a = torch.ones(2, 3)
b = torch.ones(3, 4)
c = torch.cat([a, b])  # HERE
