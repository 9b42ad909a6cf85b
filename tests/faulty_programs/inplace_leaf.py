"""A parameter is changed where operations are recorded."""

# cause: leaf Variable that requires grad is being used in an in-place operation
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square().sum()
loss.backward()
w -= 0.1 * w.grad  # HERE
