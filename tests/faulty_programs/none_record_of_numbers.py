"""A record keeps numbers of the forward pass."""

# cause: item|float
# ask: torch.explain_none(scale, loss)
from typing import NamedTuple

import torch


class Stats(NamedTuple):
    mean: float
    size: int


def stats(x):
    return Stats(x.mean().item(), x.numel())  # HERE


scale = torch.tensor(2.0, requires_grad=True)
shift = torch.tensor(1.0, requires_grad=True)
s = stats(scale * torch.arange(4.0))
loss = s.mean * shift
loss.backward()
