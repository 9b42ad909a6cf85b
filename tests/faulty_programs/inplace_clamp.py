"""A value is clamped in place after its exponential."""

# cause: modified by an inplace.*h
import torch

w = torch.ones(3, requires_grad=True)
h = w.exp()
h.clamp_(max=1.0)  # HERE
h.sum().backward()
