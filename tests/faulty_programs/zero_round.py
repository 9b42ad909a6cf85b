"""Rounding is flat everywhere."""

# cause: round
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.full((3,), 1.4, requires_grad=True)
q = torch.round(w)  # HERE
loss = q.square().sum()
loss.backward()
