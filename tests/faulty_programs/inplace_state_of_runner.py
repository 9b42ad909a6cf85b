"""A Trainer overwrites the running hidden state that the graph needs."""

# cause: modified by an inplace operation
import torch
from torch import nn


class Runner:
    def __init__(self):
        self.cell = nn.Linear(3, 3)
        self.state = torch.zeros(3)
        self.losses = []

    def step(self, x):
        out = self.cell(x) * self.state
        self.losses.append(out.sum())
        self.state.copy_(x)  # HERE


torch.manual_seed(0)
runner = Runner()
for x in torch.randn(3, 3):
    runner.step(x)
loss = sum(runner.losses)
loss.backward()
