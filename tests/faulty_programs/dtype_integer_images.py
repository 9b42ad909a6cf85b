"""Images of bytes go into a layer of floats."""

# cause: must have the same dtype
import torch
from torch import nn

net = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
images = torch.zeros(3, 2, 2, dtype=torch.uint8)
net(images)  # HERE
