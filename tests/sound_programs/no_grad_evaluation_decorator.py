"""Evaluation by a decorator, training after."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


@torch.no_grad()
def evaluate(net, x):
    return net(x).argmax(1).float().mean().item()


torch.manual_seed(0)
net = nn.Linear(4, 2)
x = torch.randn(8, 4)
score = evaluate(net, x)
loss = nn.functional.cross_entropy(net(x), torch.zeros(8, dtype=torch.long))
loss.backward()
