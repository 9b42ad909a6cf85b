"""One step with torchcam, on random weights."""

import torch
from torchcam.methods import GradCAMpp, SmoothGradCAMpp
from torchvision.models import resnet18

torch.manual_seed(0)
model, x = resnet18(weights=None).eval(), torch.rand(1, 3, 64, 64)
for method in (GradCAMpp, SmoothGradCAMpp):
    with method(model, target_layer="layer3") as explain:
        (activation,) = explain(3, model(x))
    print(activation.float().mean().item())
