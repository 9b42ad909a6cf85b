"""log(0)."""

# cause: (inf|nan).*\blog\b
# under: nan_guard
import torch

p = torch.tensor([0.5, 0.0], requires_grad=True)
entropy = -(p * torch.log(p)).sum()  # HERE
entropy.backward()
