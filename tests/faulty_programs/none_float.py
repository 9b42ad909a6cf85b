"""float() reads a value out."""

# cause: float
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

scale = float(w.mean())  # HERE
loss = (scale * v).sum()
loss.backward()
