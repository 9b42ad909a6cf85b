"""Calculated in inference mode."""

# cause: inference_mode
# ask: torch.explain_none(w, loss)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

with torch.inference_mode():
    h = torch.tanh(w)  # HERE
loss = (h.clone() * v).sum()
loss.backward()
