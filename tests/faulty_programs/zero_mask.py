"""The mask is zero everywhere."""

# cause: mul
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
mask = torch.zeros(3)
h = w * mask  # HERE
loss = h.sum()
loss.backward()
