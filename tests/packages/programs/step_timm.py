"""One step with timm, on random weights."""

import timm
import torch

torch.manual_seed(0)
for name in ("resnet18", "vit_tiny_patch16_224", "mobilenetv3_small_050", "convnext_atto"):
    model = timm.create_model(name, pretrained=False, num_classes=5).eval()
    loss = torch.nn.functional.cross_entropy(model(torch.rand(1, 3, 224, 224)), torch.tensor([1]))
    loss.backward()
    print(loss.item())
