"""The auxiliary loss was never added."""

# cause: does not use|not used|not part
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

auxiliary = w.square().sum()  # HERE
loss = v.sum()
loss.backward()
