"""One step with einx, on random weights."""

import einx
import torch

torch.manual_seed(0)
x, w = torch.randn(2, 6, 4, requires_grad=True), torch.randn(4, 3)
y = einx.dot("b t [c], [c] d -> b t d", x, w)
z = einx.softmax("b t [d]", einx.mean("b (t [s]) d", y, s=2))
(z * einx.add("b t d, d", z, torch.arange(3.0))).sum().backward()
print(z.sum().item(), x.grad.abs().sum().item())
