"""One step with torch-audiomentations, on random weights."""

import torch
from torch_audiomentations import Compose, Gain, LowPassFilter, PolarityInversion

torch.manual_seed(0)
steps = [
    Gain(p=1.0, output_type="dict"),
    PolarityInversion(p=0.5, output_type="dict"),
    LowPassFilter(p=1.0, output_type="dict"),
]
found = Compose(steps, output_type="dict")(samples=torch.randn(2, 1, 1600), sample_rate=16000)
print(found.samples.shape, found.samples.abs().mean().item())
