"""One step with monai, on random weights."""

import torch
from monai.losses import DiceLoss
from monai.networks.nets import UNet

torch.manual_seed(0)
model = UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2))
x = torch.rand(2, 1, 32, 32)
loss = DiceLoss(to_onehot_y=True, softmax=True)(model(x), (x > 0.5).long())
loss.backward()
print(loss.item())
