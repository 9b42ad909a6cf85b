"""backward() was forgotten."""

# cause: backward
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square().sum()  # HERE
