"""The derivative of sqrt is infinite at 0."""

# cause: (inf|nan).*sqrt
# under: nan_guard
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.sqrt(x)  # HERE
y.sum().backward()
