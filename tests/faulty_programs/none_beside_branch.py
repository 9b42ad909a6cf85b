"""Both branches look alike; only the second ran."""

# cause: detach|no_grad
# ask: torch.explain_none(w, loss)
import torch


def run(t, warm):
    if warm:
        return t * 2
    return (t * 2).detach()  # HERE


w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
loss = (run(w, False) * v).sum()
loss.backward()
