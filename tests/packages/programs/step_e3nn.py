"""One step with e3nn, on random weights."""

import torch
from e3nn import o3

torch.manual_seed(0)
irreps = o3.Irreps("4x0e+2x1o")
product = o3.FullyConnectedTensorProduct(irreps, irreps, irreps)
x = irreps.randn(5, -1)
y = product(x, x)
y.square().sum().backward()
print(y.abs().sum().item(), product.weight.grad.abs().sum().item())
