"""forward() stores features on self, another method uses them detached."""

# cause: detach
# ask: torch.explain.missing(m.body, loss)
import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.head = nn.Linear(2, 1)

    def encode(self, x):
        self.features = self.body(x).detach()  # HERE

    def forward(self, x):
        self.encode(x)
        return self.head(self.features)


torch.manual_seed(0)
m = M()
loss = m(torch.randn(3, 2)).sum()
loss.backward()
