"""A weight is updated between forward and backward."""

# cause: modified by an inplace operation
import torch

a = torch.ones(3, 3, requires_grad=True)
b = torch.ones(3, 3, requires_grad=True)
first = (a @ b).sum()
with torch.no_grad():
    b -= 0.1  # HERE
first.backward()
