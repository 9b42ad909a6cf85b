"""A residual branch is written over by relu_."""

# cause: modified by an inplace operation
import torch

w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)
y = h.mul_(2)  # HERE
y.sum().backward()
