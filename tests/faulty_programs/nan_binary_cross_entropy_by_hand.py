"""0 * log(0) in a binary cross-entropy by hand."""

# cause: inf made by log|nan.*LogBackward
# under: nan_guard
import torch

p = torch.tensor([1.0, 0.5], requires_grad=True)
y = torch.tensor([1.0, 0.0])
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # HERE
loss.backward()
