"""to() after requires_grad makes it a result."""

# cause: leaf
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True).to(torch.float64)  # HERE
loss = w.square().sum()
loss.backward()
