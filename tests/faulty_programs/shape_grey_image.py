"""A grey image goes into a convolution for colours."""

# cause: to have 3 channels, but got 1 channels
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
net(torch.ones(4, 1, 28, 28))  # HERE
