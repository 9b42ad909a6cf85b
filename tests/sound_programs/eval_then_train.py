"""eval() in one helper, train() in another."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


def test(m, x):
    m.eval()
    with torch.no_grad():
        return m(x).mean()


def fit(m, x):
    m.train()
    return m(x).square().mean()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Dropout(0.2), nn.Linear(6, 1))
x = torch.randn(8, 3)
score = test(net, x)
loss = fit(net, x)
