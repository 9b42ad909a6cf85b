"""A histogram has no gradient."""

# cause: histc
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.tensor([0.1, 0.4, 0.9], requires_grad=True)
v = torch.ones(4, requires_grad=True)
counts = torch.histc(w, bins=4, min=0, max=1)  # HERE
loss = (counts * v).sum()
loss.backward()
