"""A dtype conversion makes a non-leaf."""

# cause: not a leaf
# ask: torch.explain_none(w)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True).double()  # HERE
(w * w).sum().backward()
