"""An argument that a layer refuses, raised in Python."""

# cause: dropout probability
from torch import nn


def head(p):
    return nn.Sequential(nn.Dropout(p), nn.Linear(3, 3))  # HERE


net = head(1.5)
