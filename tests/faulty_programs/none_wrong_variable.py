"""The loss uses the input where it should use the hidden value."""

# cause: does not use|not used|not part
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
x = torch.ones(3, requires_grad=True)
h = x * w  # HERE
loss = x.square().sum()
loss.backward()
