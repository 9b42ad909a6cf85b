"""A hook of a tensor returns another shape."""

# cause: hook.*(size|shape)
import torch


def halve(g):
    return g[:1]  # HERE


a = torch.ones(4, requires_grad=True)
h = a * 2
h.register_hook(halve)
out = h.sum()
out.backward()
