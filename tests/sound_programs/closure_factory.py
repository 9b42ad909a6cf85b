"""Losses made by factories, with captured weights that are detached on purpose for a target."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


def consistency(target):
    fixed = target.detach()

    def loss(prediction):
        return (prediction - fixed).square().mean()

    return loss


torch.manual_seed(0)
net = nn.Linear(3, 2)
x = torch.randn(4, 3)
criterion = consistency(net(x))
loss = criterion(net(x + 0.1))
loss.backward()
