"""A feature without variance is divided by its standard deviation."""

# cause: (inf|nan).*\b(div|std)\b
# under: nan_guard
import torch

x = torch.ones(4, 2, requires_grad=True)
z = (x - x.mean(0)) / x.std(0)  # HERE
z.sum().backward()
