"""Tied input and output tables."""

# ask: torch.explain.missing(model, loss)
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(12, 8)
        self.body = nn.Linear(8, 8)
        self.out = nn.Linear(8, 12, bias=False)
        self.out.weight = self.table.weight

    def forward(self, ids):
        return self.out(torch.tanh(self.body(self.table(ids))))


torch.manual_seed(0)
model = LM()
loss = nn.functional.cross_entropy(model(torch.randint(0, 12, (8,))), torch.randint(0, 12, (8,)))
loss.backward()
