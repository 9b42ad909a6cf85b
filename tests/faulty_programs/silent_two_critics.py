"""Soft actor critic: min of two critics in the target, not detached."""

# cause: target not detached
# ask: torch.explain.doctor(critics, loss)
import torch
from torch import nn

torch.manual_seed(0)
critics = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)])
s, s2, r, done = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6, 1), torch.zeros(6, 1)
following = torch.min(critics[0](s2), critics[1](s2))
y = r + 0.99 * (1 - done) * following  # HERE
loss = sum(nn.functional.mse_loss(c(s), y) for c in critics)
