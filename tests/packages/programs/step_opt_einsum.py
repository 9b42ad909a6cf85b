"""One step with opt_einsum, on random weights."""

import opt_einsum
import torch

torch.manual_seed(0)
a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
y = opt_einsum.contract("ij,jk,kl->il", a, b, torch.randn(5, 2))
y.sum().backward()
print(y.sum().item(), a.grad.sum().item())
