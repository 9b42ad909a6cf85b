"""A meter that sums losses keeps every graph."""

# cause: meter\.total
# ask: torch.explain.alive()
# look: meter.total
import torch
from torch import nn


class Meter:
    total = 0.0

    def update(self, value):
        self.total = self.total + value  # HERE


meter, net = Meter(), nn.Linear(50, 50)
for _ in range(3):
    meter.update(net(torch.ones(4, 50)).tanh().mean())
