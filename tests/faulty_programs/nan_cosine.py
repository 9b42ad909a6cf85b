"""The angle between equal vectors: acos at 1."""

# cause: (inf|nan).*\bacos\b
# under: nan_guard
import torch

a = torch.tensor([3.0, 4.0], requires_grad=True)
b = torch.tensor([3.0, 4.0])
cosine = (a @ b) / (a.norm() * b.norm())
angle = torch.acos(cosine)  # HERE
angle.backward()
