"""Heads in a plain list of a class with inheritance."""

# cause: not registered
# ask: torch.explain.doctor(model, loss)
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.heads = [nn.Linear(4, 1) for _ in range(count)]  # HERE


class Model(Base):
    def forward(self, x):
        h = torch.tanh(self.body(x))
        return sum(head(h) for head in self.heads)


torch.manual_seed(0)
model = Model(3)
loss = model(torch.randn(4, 4)).square().mean()
