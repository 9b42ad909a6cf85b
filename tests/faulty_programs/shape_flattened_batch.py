"""view() does not fit what the convolution gives."""

# cause: shape '\[-1, 400\]' is invalid
import torch
from torch import nn

conv = nn.Conv2d(1, 16, 5)
features = conv(torch.ones(3, 1, 28, 28))
flat = features.view(-1, 400)  # HERE
