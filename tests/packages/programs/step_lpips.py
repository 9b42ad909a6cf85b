"""One step with lpips, on random weights."""

import lpips
import torch

torch.manual_seed(0)
measure = lpips.LPIPS(net="alex", pretrained=False, pnet_rand=True, verbose=False)
x = torch.rand(1, 3, 64, 64, requires_grad=True)
distance = measure(x, torch.rand(1, 3, 64, 64))
distance.sum().backward()
print(distance.item(), x.grad.abs().sum().item())
