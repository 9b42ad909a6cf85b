"""What should be learned was registered as a buffer."""

# cause: buffer
# ask: torch.explain_none(layer.scale, loss)
# look: layer.scale.grad
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.register_buffer("scale", torch.ones(1))  # HERE

    def forward(self, x):
        return self.linear(x) * self.scale


layer = Scaled()
loss = layer(torch.ones(2, 3)).sum()
loss.backward()
