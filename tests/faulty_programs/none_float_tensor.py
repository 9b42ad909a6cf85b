"""Losses are put into a new tensor, which has their values and not their history."""

# cause: through tensor\(\)
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
losses = [(w * 2).sum(), (w * 3).sum()]
loss = torch.tensor(losses).mean() + v.sum()  # HERE
loss.backward()
