"""A mean of nothing by hand."""

# cause: nan.*div
# under: nan_guard
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
mask = torch.zeros(2)
mean = (w * mask).sum() / mask.sum()  # HERE
mean.backward()
