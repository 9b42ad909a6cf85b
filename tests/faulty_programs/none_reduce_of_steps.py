"""A pipeline of steps, made by functools.reduce."""

# cause: integers by long|integer cast
# ask: torch.explain_none(w, loss)
import functools

import torch


def scale(t):
    return t * 3


def quantise(t):
    return t.long()  # HERE


w = torch.tensor([0.5, 1.5], requires_grad=True)
v = torch.tensor([0.5, 1.5], requires_grad=True)
h = functools.reduce(lambda value, step: step(value), [scale, quantise], w)
loss = (h.float() * v).sum()
loss.backward()
