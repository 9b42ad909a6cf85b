"""The parameter is not used at all."""

# cause: not calculated from it
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)  # HERE
v = torch.ones(3, requires_grad=True)
loss = v.square().sum()
loss.backward()
