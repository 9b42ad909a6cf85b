"""The target comes out of a frozen copy, without no_grad."""

# ask: torch.explain.doctor(q, loss)
import copy

import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
old = copy.deepcopy(q)
for p in old.parameters():
    p.requires_grad_(False)
s, s2, r = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8, 1)
loss = (q(s) - (r + 0.9 * old(s2))).pow(2).mean()
