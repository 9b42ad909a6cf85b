"""hardtanh is flat outside of -1 and 1."""

# cause: hardtanh is flat
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch
from torch.nn import functional

w = torch.tensor([3.0, -4.0], requires_grad=True)
h = functional.hardtanh(w)  # HERE
loss = h.square().sum()
loss.backward()
