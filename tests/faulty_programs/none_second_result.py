"""Two results of a helper, the second one is detached."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch


def split(t):
    mean = t.mean()
    rest = (t - mean).detach()  # HERE
    return mean, rest


w = torch.arange(3.0, requires_grad=True)
v = torch.ones(3, requires_grad=True)
mean, rest = split(w)
loss = (rest * v).sum()
loss.backward()
