"""A property reads parameters out for display."""

# ask: torch.explain.missing(layer, loss)
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    @property
    def size(self):
        return self.w.detach().norm().item()

    def forward(self, x):
        if self.size > 100:
            raise ValueError("too large")
        return x * self.w


layer = Layer()
loss = layer(torch.ones(3)).sum()
loss.backward()
