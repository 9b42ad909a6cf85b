"""A detached value is replaced by a good one, and that is rounded to integers."""

# cause: integer
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
h = w.detach()
h = torch.exp(w)
h = h.to(torch.int64)  # HERE
loss = (h * v).sum()
loss.backward()
