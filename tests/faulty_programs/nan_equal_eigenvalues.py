"""Eigenvectors of equal eigenvalues have no derivative."""

# cause: NaN made by linalg_eigh|LinalgEighBackward0. returned nan
# under: nan_guard
import torch

a = torch.eye(3, requires_grad=True)
values, vectors = torch.linalg.eigh(a)  # HERE
vectors[:, 0].sum().backward()
