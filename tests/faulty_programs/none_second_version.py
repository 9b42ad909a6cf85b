"""The value is detached in the second of two versions of a variable."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = torch.tanh(w)
shown = h.sum().item()
h = h * 2
h = h.detach()  # HERE
loss = (h * v).sum()
loss.backward()
