"""One step with grad-cam, on random weights."""

import torch
from pytorch_grad_cam import EigenCAM, GradCAM
from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
from torchvision.models import resnet18

torch.manual_seed(0)
model, x = resnet18(weights=None).eval(), torch.rand(1, 3, 64, 64)
for method in (GradCAM, EigenCAM):
    with method(model=model, target_layers=[model.layer3[-1]]) as explain:
        print(float(explain(input_tensor=x, targets=[ClassifierOutputTarget(3)]).mean()))
