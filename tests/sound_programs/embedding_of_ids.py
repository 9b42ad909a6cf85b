"""Integer ids go through an embedding."""

# ask: torch.explain.missing(model, loss)
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 8, padding_idx=0)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, 4)

    def forward(self, ids):
        h, _ = self.rnn(self.table(ids))
        return self.out(h)


torch.manual_seed(0)
model = Tagger()
ids = torch.randint(1, 20, (3, 5))
loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), torch.randint(0, 4, (15,)))
loss.backward()
