"""The parameter is outside of the clamp."""

# cause: clamp
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.full((3,), 5.0, requires_grad=True)
p = w.clamp(0, 1)  # HERE
loss = p.square().sum()
loss.backward()
