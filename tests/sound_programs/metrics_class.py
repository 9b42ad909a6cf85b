"""A metrics object that keeps numbers and detached tensors."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class Metrics:
    def __init__(self):
        self.total, self.outputs = 0.0, []

    def add(self, loss, out):
        self.total += loss.item()
        self.outputs.append(out.detach())
        return self.total


torch.manual_seed(0)
net, metrics = nn.Linear(3, 2), Metrics()
out = net(torch.randn(4, 3))
loss = nn.functional.cross_entropy(out, torch.tensor([0, 1, 1, 0]))
metrics.add(loss, out)
loss.backward()
