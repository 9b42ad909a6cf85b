"""One step with kornia, on random weights."""

import kornia
import torch

torch.manual_seed(0)
image = torch.rand(1, 3, 16, 16, requires_grad=True)
blurred = kornia.filters.gaussian_blur2d(image, (5, 5), (1.5, 1.5))
turned = kornia.geometry.transform.rotate(blurred, torch.tensor([30.0]))
turned.sum().backward()
print(turned.mean().item(), image.grad.sum().item(), kornia.color.rgb_to_hsv(image).mean().item())
