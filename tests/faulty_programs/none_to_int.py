"""Converted to integers by to()."""

# cause: integer
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

index = (w * 2).to(torch.int64)  # HERE
loss = (index * v).sum()
loss.backward()
