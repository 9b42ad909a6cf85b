"""A custom layer in the middle of a Sequential quantises with .int()."""

# cause: integers by int|integer cast
# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class Quantise(nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def forward(self, x):
        return (x * self.levels).int() / self.levels  # HERE


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), Quantise(8), nn.Linear(4, 1))
loss = net(torch.randn(6, 3)).square().mean()
loss.backward()
