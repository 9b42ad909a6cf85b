"""A comparison has no gradient."""

# cause: no gradient
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

hits = (w > 0.5).float()  # HERE
loss = (hits * v).sum()
loss.backward()
