"""Two losses of one hidden value."""

# cause: second time
import torch

w = torch.ones(3, requires_grad=True)
h = w.exp()  # HERE
first = h.sum()
second = (h * 2).sum()
first.backward()
second.backward()
