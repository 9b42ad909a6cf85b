"""A generator yields detached pieces."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch


def pieces(t, size):
    for i in range(0, len(t), size):
        yield t[i : i + size].detach()  # HERE


w = torch.arange(6.0, requires_grad=True)
v = torch.ones(2, requires_grad=True)
loss = sum((p * v).sum() for p in pieces(w, 2))
loss.backward()
