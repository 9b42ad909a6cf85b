"""einsum with a wrong subscript."""

# cause: einsum
import torch

a, b = torch.ones(2, 3), torch.ones(4, 5)
c = torch.einsum("ij,jk->ik", a, b)  # HERE
