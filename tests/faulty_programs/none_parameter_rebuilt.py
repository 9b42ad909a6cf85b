"""forward() wraps the weight into a new Parameter."""

# cause: Parameter|new|detach|leaf
# ask: torch.explain_none(layer.w, loss)
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def forward(self, x):
        w = nn.Parameter(self.w * 2)  # HERE
        return x * w


layer = Scale()
loss = layer(torch.ones(3)).sum()
loss.backward()
