"""Two models; gradients of the other one are left, this one's are zeroed in a helper."""

# ask: torch.explain.doctor(a, loss, opt)
import torch
from torch import nn


def clear(*models):
    for m in models:
        m.zero_grad()


torch.manual_seed(0)
a, b = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(a.parameters(), lr=0.01)
x = torch.randn(4, 3)
(a(x).mean() + b(x).mean()).backward()
opt.step()
clear(a)
loss = a(x).square().mean()
