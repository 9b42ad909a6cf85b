"""SARSA error as a difference of three terms."""

# cause: target not detached
# ask: torch.explain.doctor(q, loss)
import torch
from torch import nn

torch.manual_seed(0)
q = nn.Linear(4, 1)
s, s2, r = torch.randn(5, 4), torch.randn(5, 4), torch.randn(5, 1)
delta = r + 0.9 * q(s2) - q(s)  # HERE
loss = delta.square().mean()
