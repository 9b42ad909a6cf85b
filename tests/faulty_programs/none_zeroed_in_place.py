"""The gradient was set to zero before it was looked at."""

# cause: zero
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square().sum()
loss.backward()
w.grad.zero_()  # HERE
