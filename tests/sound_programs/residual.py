"""A residual network."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.inner = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size))

    def forward(self, x):
        return x + self.inner(self.norm(x))


torch.manual_seed(0)
net = nn.Sequential(Block(8), Block(8), nn.Linear(8, 1))
loss = net(torch.randn(6, 8)).square().mean()
loss.backward()
