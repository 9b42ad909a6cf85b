"""A lambda hook changes the dtype."""

# cause: hook.*type
import torch

w = torch.ones(3, requires_grad=True)
h = w * 3
handle = h.register_hook(lambda g: g.double())  # HERE
loss = h.sum()
loss.backward()
