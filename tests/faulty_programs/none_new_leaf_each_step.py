"""The parameter that is optimised was replaced by the update: w = w - lr * w.grad."""

# cause: not a leaf|non-leaf
# ask: torch.explain_none(w)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
(w * w).sum().backward()
w = w - 0.1 * w.grad  # HERE
(w * w).sum().backward()
