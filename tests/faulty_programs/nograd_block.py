"""The forward pass ran under no_grad."""

# cause: does not require grad
import torch

w = torch.ones(3, requires_grad=True)
with torch.no_grad():
    h = w * 2  # HERE
loss = h.sum()
loss.backward()
