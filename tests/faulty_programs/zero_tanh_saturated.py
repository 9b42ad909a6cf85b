"""Inputs were not scaled: tanh is 1 and flat."""

# cause: tanh is flat
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
h = torch.tanh(w * 255.0)  # HERE
loss = h.sum()
loss.backward()
