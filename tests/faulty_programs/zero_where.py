"""The branch with the parameter is never chosen."""

# cause: where
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.full((3,), 5.0, requires_grad=True)
h = torch.where(torch.zeros(3) > 1, w, torch.ones(3))  # HERE
loss = h.sum()
loss.backward()
