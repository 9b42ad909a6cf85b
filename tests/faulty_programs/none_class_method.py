"""A class method builds an object with the copied weight."""

# cause: clone|detach|data
# ask: torch.explain_none(w, loss)
import torch


class Filter:
    def __init__(self, taps):
        self.taps = taps

    @classmethod
    def of(cls, w):
        return cls(w.data / w.data.sum())  # HERE

    def apply(self, x):
        return (self.taps * x).sum()


w = torch.ones(3, requires_grad=True)
x = torch.ones(3, requires_grad=True)
f = Filter.of(w)
loss = f.apply(x)
loss.backward()
