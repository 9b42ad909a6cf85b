"""One step with entmax, on random weights."""

import torch
from entmax import Entmax15Loss, SparsemaxLoss, entmax15, entmax_bisect, sparsemax

torch.manual_seed(0)
x = torch.randn(3, 6, requires_grad=True)
for function in (sparsemax, entmax15, entmax_bisect):
    y = function(x, dim=-1)
    (gradient,) = torch.autograd.grad(y.square().sum(), x)
    print((y == 0).sum().item(), y.square().sum().item(), gradient.abs().sum().item())
labels = torch.tensor([0, 3, 5])
print(SparsemaxLoss()(x, labels).item(), Entmax15Loss()(x, labels).item())
