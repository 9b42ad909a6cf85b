"""Quantisation by floor is flat."""

# cause: floor is flat
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.tensor([0.2, 1.7], requires_grad=True)
q = torch.floor(w * 8) / 8  # HERE
loss = q.square().sum()
loss.backward()
