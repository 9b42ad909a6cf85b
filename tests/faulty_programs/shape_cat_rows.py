"""Rows of unequal length."""

# cause: expected .*size
import torch

a, b = torch.ones(2, 3), torch.ones(4, 5)
c = torch.cat([a, b])  # HERE
