"""requires_grad was forgotten."""

# cause: requires_grad
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3)  # HERE
b = torch.zeros(3, requires_grad=True)
loss = (w * 2 + b).sum()
loss.backward()
