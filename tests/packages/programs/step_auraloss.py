"""One step with auraloss, on random weights."""

import auraloss
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x, y = torch.randn(1, 1, 4096, requires_grad=True), torch.randn(1, 1, 4096)
for loss in (auraloss.freq.MultiResolutionSTFTLoss(), auraloss.time.SISDRLoss(), auraloss.time.LogCoshLoss()):
    value = loss(x, y)
    (gradient,) = torch.autograd.grad(value, x)
    print(value.item(), gradient.abs().sum().item())
