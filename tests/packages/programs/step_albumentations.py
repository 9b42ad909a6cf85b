"""One step with albumentations, on random weights."""

import albumentations
import numpy
import torch
from albumentations.pytorch import ToTensorV2

image = numpy.random.default_rng(0).integers(0, 256, (16, 16, 3), "uint8")
changed = albumentations.Compose([albumentations.CenterCrop(12, 12), albumentations.Normalize(), ToTensorV2()])(
    image=image
)
torch.manual_seed(0)
layer = torch.nn.Conv2d(3, 2, 3)
loss = layer(changed["image"][None]).square().mean()
loss.backward()
print(loss.item(), layer.weight.grad.abs().sum().item())
