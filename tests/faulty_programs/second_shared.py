"""A value is calculated once, before the loop."""

# cause: backward through the graph a second time
import torch

w = torch.ones(3, requires_grad=True)
h = torch.exp(w)  # HERE
for step in range(2):
    loss = (h * step).sum()
    loss.backward()
