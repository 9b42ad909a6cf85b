"""The gradient was set to None by hand."""

# cause: cleared
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square().sum()
loss.backward()
w.grad = None  # HERE
