"""One step with ptwt, on random weights."""

import ptwt
import torch

torch.manual_seed(0)
x = torch.randn(2, 32, dtype=torch.float64, requires_grad=True)
parts = ptwt.wavedec(x, "db2", level=2, mode="zero")
(gradient,) = torch.autograd.grad(sum(p.pow(4).sum() for p in parts), x)
print(sum(p.abs().sum().item() for p in parts), gradient.abs().sum().item())
print(
    (ptwt.waverec(parts, "db2") - x).abs().max().item() < 1e-9,
    ptwt.cwt(x.detach(), torch.arange(1.0, 4.0), "cmor1.5-1.0")[0].abs().sum().item(),
)
