"""Blocks in a ModuleList; each block detaches its skip connection's input."""

# cause: detach|data
# ask: torch.explain.missing(net.stem, loss)
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.f = nn.Linear(n, n)

    def forward(self, x):
        return torch.tanh(self.f(x.data))  # HERE


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(3, 5)
        self.blocks = nn.ModuleList([Block(5), Block(5)])
        self.out = nn.Linear(5, 1)

    def forward(self, x):
        x = self.stem(x)
        for _, block in enumerate(self.blocks):
            x = block(x)
        return self.out(x)


torch.manual_seed(0)
net = Net()
loss = net(torch.randn(6, 3)).square().mean()
loss.backward()
