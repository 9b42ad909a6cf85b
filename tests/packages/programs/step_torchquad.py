"""One step with torchquad, on random weights."""

import torch
import torchquad

torch.set_default_dtype(torch.float64)
factor = torch.tensor(2.0, requires_grad=True)
for rule, points in ((torchquad.Simpson(), 101), (torchquad.GaussLegendre(), 64), (torchquad.Boole(), 101)):
    value = rule.integrate(
        lambda x: torch.sin(factor * x[:, 0]) * x[:, 1],
        dim=2,
        N=points**2,
        integration_domain=[[0, 1], [0, 2]],
        backend="torch",
    )
    (slope,) = torch.autograd.grad(value, factor)
    print(value.item(), slope.item())
