"""The cut is inside of an assignment expression."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
if (norm := (w * w).sum().detach()) > 0:  # HERE
    loss = (v / norm).sum()
loss.backward()
