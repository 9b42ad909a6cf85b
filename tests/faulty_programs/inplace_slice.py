"""A row of a product is written into."""

# cause: modified by an inplace
import torch

a = torch.ones(2, 2, requires_grad=True)
b = (a * 2).sigmoid()
b[0] = 0.0  # HERE
b.sum().backward()
