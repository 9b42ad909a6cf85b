"""The result of exp is needed for its gradient."""

# cause: modified by an inplace operation
import torch

w = torch.ones(3, requires_grad=True)
h = torch.exp(w)
h += 1  # HERE
h.sum().backward()
