"""An accuracy with argmax is only reported; the features are detached in the model."""

# cause: detach
# ask: torch.explain.missing(model.body, loss)
import torch
from torch import nn


def accuracy(scores, y):
    return (scores.argmax(1) == y).float().mean().item()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)).detach())  # HERE


torch.manual_seed(0)
model = Model()
x, y = torch.randn(6, 3), torch.tensor([0, 1, 0, 1, 0, 1])
scores = model(x)
score = accuracy(scores, y)
loss = nn.functional.cross_entropy(scores, y)
loss.backward()
