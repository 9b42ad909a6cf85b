"""An element is assigned after the tensor was used."""

# cause: modified by an inplace operation
import torch

w = torch.ones(3, requires_grad=True)
state = torch.zeros(3)
y = (w * state).sum()
state[0] = 1.0  # HERE
y.backward()
