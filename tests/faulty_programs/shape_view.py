"""A view of the wrong size."""

# cause: is invalid for input of size
import torch

x = torch.ones(2, 3, 4)
y = x.view(2, 13)  # HERE
