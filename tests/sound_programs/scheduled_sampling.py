"""A decoder fed with its own argmax, the loss by scores."""

# ask: torch.explain.missing(model, loss)
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.cell, self.out = nn.Embedding(5, 6), nn.GRUCell(6, 6), nn.Linear(6, 5)

    def forward(self, steps):
        token, h, scores = torch.zeros(2, dtype=torch.long), torch.zeros(2, 6), []
        for _ in range(steps):
            h = self.cell(self.table(token), h)
            scores.append(self.out(h))
            token = scores[-1].argmax(-1)
        return torch.stack(scores, 1)


torch.manual_seed(0)
model = Decoder()
loss = nn.functional.cross_entropy(model(4).flatten(0, 1), torch.randint(0, 5, (8,)))
loss.backward()
