"""One step with vit-pytorch, on random weights."""

import torch
from vit_pytorch import ViT

torch.manual_seed(0)
model = ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, heads=2, mlp_dim=64)
loss = model(torch.rand(2, 3, 32, 32)).square().mean()
loss.backward()
print(loss.item())
