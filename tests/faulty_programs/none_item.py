"""A penalty was read out as a number."""

# cause: item
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

penalty = w.square().sum().item()  # HERE
loss = v.sum() + 0.1 * penalty
loss.backward()
