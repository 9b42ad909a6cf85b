"""An element of a parameter is assigned."""

# cause: a view of a leaf Variable that requires grad is being used in an in-place
import torch

w = torch.ones(3, requires_grad=True)
w[0] = 0.0  # HERE
