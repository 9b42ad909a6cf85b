"""requires_grad is set after the value was used."""

# cause: requires_grad.*after|before it
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3)
scale = torch.ones(3, requires_grad=True)
loss = (w * scale).sum()
w.requires_grad_(True)  # HERE
loss.backward()
