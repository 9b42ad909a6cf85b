"""A base class's forward() detaches its features."""

# cause: detach
# ask: torch.explain.missing(model, loss)
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(4, 4)

    def forward(self, x):
        return self.conv(x).relu().detach()  # HERE


class Classifier(Encoder):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        features = super().forward(x)
        return self.head(features)


torch.manual_seed(0)
model = Classifier()
loss = nn.functional.cross_entropy(model(torch.randn(5, 4)), torch.tensor([0, 1, 0, 1, 1]))
loss.backward()
