"""0 / 0."""

# cause: (inf|nan).*div
# under: nan_guard
import torch

x = torch.tensor([0.0, 2.0], requires_grad=True)
total = x * 0
y = x / total  # HERE
y.sum().backward()
