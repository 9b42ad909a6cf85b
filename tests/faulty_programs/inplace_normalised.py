"""Normalised in place after its norm was taken."""

# cause: modified by an inplace operation
import torch

w = torch.ones(3, requires_grad=True)
h = w * 2
size = (h * h).sum()
h /= size.detach()  # HERE
size.backward()
