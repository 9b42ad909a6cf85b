"""Scores are so large that sigmoid is exactly 1."""

# cause: sigmoid is flat
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
p = torch.sigmoid(w * 500)  # HERE
loss = (1 - p).sum()
loss.backward()
