"""One step with torch-dct, on random weights."""

import torch
import torch_dct

torch.manual_seed(0)
x = torch.randn(2, 8, 8, requires_grad=True)
for there, back in (
    (torch_dct.dct, torch_dct.idct),
    (torch_dct.dct_2d, torch_dct.idct_2d),
    (torch_dct.dct1, torch_dct.idct1),
):
    y = there(x)
    (gradient,) = torch.autograd.grad(y.pow(4).sum(), x)
    print(y.abs().sum().item(), gradient.abs().sum().item(), (back(y) - x).abs().max().item() < 1e-5)
