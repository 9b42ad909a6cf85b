"""A learned temperature."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(4, 3), nn.Linear(5, 3)
        self.scale = nn.Parameter(torch.tensor(2.6593))

    def forward(self, a, b):
        a = nn.functional.normalize(self.image(a), dim=-1)
        b = nn.functional.normalize(self.text(b), dim=-1)
        return self.scale.exp() * a @ b.T


torch.manual_seed(0)
net = Clip()
scores = net(torch.randn(6, 4), torch.randn(6, 5))
same = torch.arange(6)
loss = (nn.functional.cross_entropy(scores, same) + nn.functional.cross_entropy(scores.T, same)) / 2
loss.backward()
