"""A negative base with a fraction."""

# cause: nan.*pow
# under: nan_guard
import torch

x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = x**0.5  # HERE
y.sum().backward()
