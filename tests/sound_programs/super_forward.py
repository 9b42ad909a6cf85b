"""A subclass normalises what the base class gives."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(3, 3)

    def forward(self, x):
        return self.f(x)


class Scaled(Base):
    def forward(self, x):
        y = super().forward(x)
        return y / y.detach().norm()


torch.manual_seed(0)
net = Scaled()
loss = net(torch.randn(2, 3)).sum()
loss.backward()
