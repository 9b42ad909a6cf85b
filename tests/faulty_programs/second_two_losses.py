"""Two losses share a layer."""

# cause: backward through the graph a second time
import torch

w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)  # HERE
first, second = h.sum(), (h * 2).sum()
first.backward()
second.backward()
