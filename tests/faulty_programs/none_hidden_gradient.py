"""The gradient of a hidden value is not kept."""

# cause: leaf
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

x = torch.ones(3, requires_grad=True)
w = torch.sigmoid(x)  # HERE
loss = w.sum()
loss.backward()
