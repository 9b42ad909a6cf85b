"""One image without a batch dimension goes into a network with batch norm."""

# cause: expected 4D input
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4))
net(torch.ones(1, 28, 28))  # HERE
