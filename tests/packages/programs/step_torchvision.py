"""One step with torchvision, on random weights."""

import torch
from torchvision.models import resnet18
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn
from torchvision.models.feature_extraction import create_feature_extractor

torch.manual_seed(0)
features = create_feature_extractor(resnet18(weights=None).eval(), {"layer3.1.relu_1": "x"})
print(features(torch.ones(1, 3, 64, 64))["x"].mean().item())
model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=3).train()
boxes = {"boxes": torch.tensor([[10.0, 10.0, 60.0, 70.0]]), "labels": torch.tensor([1])}
loss = sum(model([torch.rand(3, 96, 128)], [boxes]).values())
loss.backward()
print(loss.item())
