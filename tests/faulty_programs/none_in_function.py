"""Detached inside a function that is called."""

# cause: detach
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)


def encode(x):
    h = torch.relu(x)
    return h.detach() + 1  # HERE


loss = (encode(w) * v).sum()
loss.backward()
