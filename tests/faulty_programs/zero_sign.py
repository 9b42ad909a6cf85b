"""The sign is flat everywhere."""

# cause: sign
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.full((3,), 1.4, requires_grad=True)
s = torch.sign(w)  # HERE
loss = (s * 3).sum()
loss.backward()
