"""The gradient was set to None by hand."""

# cause: cleared
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
loss.backward()
w.grad = None  # HERE
