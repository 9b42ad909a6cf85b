"""The norm of the zero vector has no derivative."""

# cause: (inf|nan).*(pow|sqrt|norm)
# under: nan_guard
import torch

x = torch.zeros(3, requires_grad=True)
distance = (x * x).sum() ** 0.5  # HERE
distance.backward()
