"""A lambda that is passed around detaches."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
squash = lambda t: torch.tanh(t).detach()  # HERE
loss = (squash(w) * v).sum()
loss.backward()
