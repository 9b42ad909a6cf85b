"""A logger detaches for itself; the cut is elsewhere."""

# cause: item
# ask: torch.explain_none(w, loss)
import torch


class Logger:
    def __init__(self):
        self.seen = []

    def __call__(self, name, t):
        self.seen.append((name, t.detach().clone()))
        return t


log = Logger()
w = torch.ones(3, requires_grad=True)
b = torch.ones(1, requires_grad=True)
h = log("h", torch.tanh(w))
log("norm", h.norm())
scale = h.norm().item()  # HERE
loss = (b * scale).sum()
loss.backward()
