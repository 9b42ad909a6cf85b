"""One step with segmentation-models-pytorch, on random weights."""

import segmentation_models_pytorch as smp
import torch

torch.manual_seed(0)
model = smp.Unet("resnet18", encoder_weights=None, classes=2)
loss = smp.losses.DiceLoss("multiclass")(model(torch.rand(2, 3, 64, 64)), torch.randint(0, 2, (2, 64, 64)))
loss.backward()
print(loss.item())
