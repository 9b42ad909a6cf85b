"""functools.partial around a step that takes the sign."""

# cause: no gradient|>=|ge
# ask: torch.explain_none(w, loss)
import functools

import torch


def binarise(threshold, t):
    return (t >= threshold).float()  # HERE


half = functools.partial(binarise, 0.5)
w = torch.tensor([0.2, 0.7], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (half(torch.sigmoid(w)) * v).sum()
loss.backward()
