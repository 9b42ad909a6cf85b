"""The square of 300 is more than half precision can hold."""

# cause: inf made by mul|nan.*MulBackward
# under: nan_guard
import torch

x = torch.tensor([1.0, 300.0], dtype=torch.float16, requires_grad=True)
loss = (x * x).sum()  # HERE
loss.backward()
