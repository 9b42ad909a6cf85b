"""A round trip through a list."""

# cause: tolist
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

values = torch.tensor(w.tolist())  # HERE
loss = (values * v).sum()
loss.backward()
