"""A constant column is divided by its deviation."""

# cause: NaN made by div|nan.*DivBackward
# under: nan_guard
import torch

x = torch.tensor([[1.0, 2.0], [1.0, 4.0]], requires_grad=True)
z = (x - x.mean(0)) / x.std(0)  # HERE
z.sum().backward()
