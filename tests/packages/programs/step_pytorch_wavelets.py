"""One step with pytorch-wavelets, on random weights."""

import torch
from pytorch_wavelets import DTCWTForward, DTCWTInverse, DWTForward, DWTInverse

torch.manual_seed(0)
x = torch.randn(1, 2, 16, 16, requires_grad=True)
for forward, inverse in ((DWTForward(J=2, wave="db3"), DWTInverse(wave="db3")), (DTCWTForward(J=2), DTCWTInverse())):
    low, high = forward(x)
    (gradient,) = torch.autograd.grad(low.square().sum() + sum(h.square().sum() for h in high), x)
    print(low.sum().item(), gradient.abs().sum().item(), (inverse((low, high)) - x).abs().max().item() < 1e-4)
