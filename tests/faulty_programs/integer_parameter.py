"""Integers cannot have gradients."""

# cause: floating point
import torch

w = torch.tensor([1, 2, 3], requires_grad=True)  # HERE
