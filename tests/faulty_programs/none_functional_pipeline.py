"""functools.reduce over a list of steps, one of which rounds to integers."""

# cause: integers by (long|to|int)|integer cast
# ask: torch.explain_none(w, loss)

import torch


def scale(t):
    return t * 3


def quantise(t):
    return t.long()  # HERE


def square(t):
    return t.float() ** 2


w = torch.tensor([0.5, 1.5], requires_grad=True)
v = torch.tensor([0.5, 1.5], requires_grad=True)
h = square(quantise(scale(w)))
loss = (h * v).sum()
loss.backward()
