"""The derivative of acos is infinite at 1."""

# cause: (inf|nan).*acos
# under: nan_guard
import torch

c = torch.tensor([1.0, 0.5], requires_grad=True)
angle = torch.acos(c)  # HERE
angle.sum().backward()
