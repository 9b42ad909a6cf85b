"""A property of a module returns the parameter's data."""

# cause: data|detach
# ask: torch.explain_none(layer.raw, loss)
import torch
from torch import nn


class Positive(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(3))
        self.bias = nn.Parameter(torch.zeros(3))

    @property
    def weight(self):
        return self.raw.data.exp()  # HERE

    def forward(self, x):
        return x * self.weight + self.bias


layer = Positive()
loss = layer(torch.ones(2, 3)).sum()
loss.backward()
