"""A read-out for a log does no harm; the rounding to integers does."""

# cause: integers
# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([1.2, 2.7], requires_grad=True)
v = torch.ones(2, requires_grad=True)
print(float(w.sum()))
steps = (w * 10).int()  # HERE
loss = (steps * v).sum()
loss.backward()
