"""DQN with a target network under no_grad."""

# ask: torch.explain.doctor(q, loss)
import copy

import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
frozen = copy.deepcopy(q).requires_grad_(False)
s, s2, r = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)
a, done = torch.randint(0, 2, (8,)), torch.zeros(8)
with torch.no_grad():
    best = q(s2).argmax(1, keepdim=True)
    target = r + 0.99 * (1 - done) * frozen(s2).gather(1, best).squeeze(1)
loss = nn.functional.smooth_l1_loss(q(s).gather(1, a[:, None]).squeeze(1), target)
