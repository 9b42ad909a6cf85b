"""A mask multiplies an infinite value."""

# cause: (inf|nan).*\blog\b
# under: nan_guard
import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
mask = torch.tensor([0.0, 1.0])
loss = (mask * torch.log(x)).sum()  # HERE
loss.backward()
