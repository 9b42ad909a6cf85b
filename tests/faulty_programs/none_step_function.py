"""A comparison counts mistakes; it has no gradient."""

# cause: which has no gradient
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
mistakes = (w * 2 != torch.zeros(3)).float()  # HERE
loss = (mistakes * v).mean()
loss.backward()
