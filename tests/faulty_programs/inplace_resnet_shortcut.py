"""A residual block adds its shortcut into the output of relu."""

# cause: modified by an inplace operation
import torch
from torch import nn

torch.manual_seed(0)
conv, norm = nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2)
x = torch.randn(2, 2, 4, 4, requires_grad=True)
out = torch.sigmoid(norm(conv(x)))
out += x  # HERE
out.mean().backward()
