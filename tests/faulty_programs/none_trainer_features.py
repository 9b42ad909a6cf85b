"""A Trainer class whose helper method detaches the features."""

# cause: detach
# ask: torch.explain.missing(trainer.encoder, loss)
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.encoder = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def features(self, x):
        h = torch.relu(self.encoder(x))
        return h.detach()  # HERE

    def loss(self, x, y):
        return ((self.head(self.features(x)) - y) ** 2).mean()


torch.manual_seed(0)
trainer = Trainer()
loss = trainer.loss(torch.randn(6, 4), torch.randn(6, 1))
loss.backward()
