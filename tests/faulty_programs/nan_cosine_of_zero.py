"""A zero vector is divided by its length."""

# cause: NaN made by div|nan.*DivBackward
# under: nan_guard
import torch

v = torch.zeros(3, requires_grad=True)
unit = v / v.norm()  # HERE
unit.sum().backward()
