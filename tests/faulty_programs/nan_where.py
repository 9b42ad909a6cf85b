"""0 * inf through the branch that was not chosen."""

# cause: (inf|nan).*sqrt
# under: nan_guard
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2))  # HERE
y.sum().backward()
