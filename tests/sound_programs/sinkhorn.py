"""A matrix of costs and two potentials."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


class Dual(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.g = nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, x, y, cost):
        f, g = self.f(x).squeeze(-1), self.g(y).squeeze(-1)
        slack = cost - f[:, None] - g
        return torch.exp(-slack).mean() - f.mean() - g.mean()


torch.manual_seed(0)
net = Dual()
x, y = torch.randn(6, 2), torch.randn(6, 2)
loss = net(x, y, torch.cdist(x, y))
