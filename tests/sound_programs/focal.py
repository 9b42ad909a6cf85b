"""A focal loss by hand."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


def focal(scores, y, gamma=2.0):
    p = torch.sigmoid(scores)
    ce = nn.functional.binary_cross_entropy_with_logits(scores, y, reduction="none")
    pt = p * y + (1 - p) * (1 - y)
    return (ce * (1 - pt) ** gamma).mean()


torch.manual_seed(0)
net = nn.Linear(4, 1)
loss = focal(net(torch.randn(8, 4)).squeeze(1), torch.randint(0, 2, (8,)).float())
