"""One step with torchio, on random weights."""

import torch
import torchio

torch.manual_seed(0)
subject = torchio.Subject(image=torchio.ScalarImage(tensor=torch.rand(1, 12, 12, 12)))
steps = [
    torchio.RandomNoise(std=(0.1, 0.1)),
    torchio.RescaleIntensity((0, 1)),
    torchio.RandomFlip(),
    torchio.CropOrPad(8),
]
changed = torchio.Compose(steps)(subject)
print(changed.image.data.shape, changed.image.data.mean().item())
