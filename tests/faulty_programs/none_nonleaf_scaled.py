"""Scaling the parameter makes it a result."""

# cause: leaf
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.randn(3, requires_grad=True) * 0.01  # HERE
loss = w.square().sum()
loss.backward()
