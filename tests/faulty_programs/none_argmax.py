"""argmax has no gradient."""

# cause: argmax
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

best = torch.argmax(w)  # HERE
loss = v[best]
loss.backward()
