"""Two shapes do not broadcast."""

# cause: must match the size
import torch

a = torch.ones(2, 3)
b = torch.ones(2, 4)
c = a + b  # HERE
