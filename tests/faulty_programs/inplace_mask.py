"""Masked in place after tanh."""

# cause: modified by an inplace operation
import torch

w = torch.ones(3, requires_grad=True)
h = torch.tanh(w)
h[h > 0.5] = 0.0  # HERE
h.sum().backward()
