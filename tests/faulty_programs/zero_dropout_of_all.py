"""Dropout with p = 1 lets nothing through."""

# cause: multiplied with in functional\.dropout.* is zero
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch
from torch.nn import functional

w = torch.ones(3, requires_grad=True)
h = functional.dropout(w * 2, p=1.0)  # HERE
loss = h.sum()
loss.backward()
