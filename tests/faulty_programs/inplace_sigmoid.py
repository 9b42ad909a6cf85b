"""A saved result is scaled in place."""

# cause: (variable: p\b|hidden)
import torch

x = torch.ones(3, requires_grad=True)
p = torch.sigmoid(x)
p *= 2  # HERE
p.sum().backward()
