"""Calculated in a no_grad block."""

# cause: no_grad
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

with torch.no_grad():
    h = torch.tanh(w)  # HERE
loss = (h * v).sum()
loss.backward()
