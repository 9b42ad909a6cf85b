"""A view of the parameter is a result."""

# cause: leaf
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(4, requires_grad=True).view(2, 2)  # HERE
loss = w.square().sum()
loss.backward()
