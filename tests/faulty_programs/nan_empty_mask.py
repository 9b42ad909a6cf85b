"""The mean over a mask that selects nothing."""

# cause: NaN made by div|nan.*DivBackward
# under: nan_guard
import torch

x = torch.ones(3, requires_grad=True)
mask = torch.zeros(3)
loss = (x * mask).sum() / mask.sum()  # HERE
loss.backward()
