"""Recomputed activations."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


torch.manual_seed(0)
net = Net()
loss = net(torch.randn(3, 4)).square().mean()
loss.backward()
