"""The sum of losses keeps all graphs."""

# cause: total
# ask: torch.explain.alive()
# look: total
import torch

w = torch.ones(3, requires_grad=True)
total = 0.0
for _ in range(3):
    loss = w.square().sum()
    total = total + loss  # HERE
