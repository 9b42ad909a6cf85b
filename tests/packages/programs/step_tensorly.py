"""One step with tensorly, on random weights."""

import tensorly
import torch
from tensorly.decomposition import parafac, tucker

tensorly.set_backend("pytorch")
torch.manual_seed(0)
x = torch.randn(4, 5, 6, dtype=torch.float64)
core, factors = tucker(x, rank=[2, 2, 2], init="svd", n_iter_max=5)
print(tensorly.tucker_to_tensor((core, factors)).norm().item())
weights, factors = parafac(x, rank=2, init="svd", n_iter_max=5)
factors[0].requires_grad_()
tensorly.cp_to_tensor((weights, factors)).square().sum().backward()
print(factors[0].grad.norm().item())
