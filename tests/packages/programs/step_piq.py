"""One step with piq, on random weights."""

import piq
import torch

torch.manual_seed(0)
x, y = torch.rand(1, 3, 96, 96, requires_grad=True), torch.rand(1, 3, 96, 96)
for measure in (piq.ssim, piq.fsim, piq.gmsd, piq.vif_p, piq.haarpsi, piq.mdsi, piq.psnr):
    value = measure(x, y, data_range=1.0)
    (gradient,) = torch.autograd.grad(value, x)
    print(measure.__name__, value.item(), gradient.abs().sum().item())
