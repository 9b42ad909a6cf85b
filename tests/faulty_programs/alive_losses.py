"""Losses are kept with their graphs."""

# cause: held by the variable kept
# ask: torch.explain.alive()
import torch

w = torch.ones(100, requires_grad=True)
kept = []
for _ in range(3):
    loss = w.exp().sum()  # HERE
    kept.append(loss)
