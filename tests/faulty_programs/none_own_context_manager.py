"""A context manager of one's own turns gradients off."""

# cause: no_grad|set_grad_enabled|recording was off
# ask: torch.explain_none(h)
import contextlib

import torch


@contextlib.contextmanager
def fast():
    with torch.no_grad():
        yield


w = torch.ones(3, requires_grad=True)
with fast():
    h = torch.tanh(w)  # HERE
loss = h.sum()
