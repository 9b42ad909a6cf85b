"""The hidden value was detached."""

# cause: detach
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

h = torch.tanh(w)
h = h.detach()  # HERE
loss = (h * v).sum()
loss.backward()
