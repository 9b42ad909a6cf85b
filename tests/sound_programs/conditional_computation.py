"""A branch depends on a value that is read out."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        h = self.layer(x)
        if h.detach().abs().max().item() > 100:
            h = h / h.detach().abs().max()
        return h


torch.manual_seed(0)
net = Net()
loss = net(torch.randn(2, 3)).square().sum()
loss.backward()
