"""A result with history is plotted through NumPy."""

# cause: Can't call numpy\(\) on Tensor that requires grad.*detach
import torch

w = torch.ones(3, requires_grad=True)
curve = torch.sin(w)
points = curve.numpy()  # HERE
