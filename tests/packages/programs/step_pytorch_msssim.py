"""One step with pytorch-msssim, on random weights."""

import torch
from pytorch_msssim import MS_SSIM, ssim

torch.manual_seed(0)
x, y = torch.rand(1, 3, 176, 176, requires_grad=True), torch.rand(1, 3, 176, 176)
loss = 1 - ssim(x, y, data_range=1.0) + 1 - MS_SSIM(data_range=1.0)(x, 0.5 * x + 0.5 * y)
loss.backward()
print(loss.item(), x.grad.abs().sum().item())
