"""A fallback branch of try copies the data."""

# cause: tensor\(\)|detach|copy
# ask: torch.explain_none(w, loss)
import torch


def prepare(t):
    try:
        return t.no_such_method()
    except AttributeError:
        return torch.tensor(t)  # HERE


w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
loss = (prepare(w) * v).sum()
loss.backward()
