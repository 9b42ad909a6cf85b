"""map() with a function that detaches, then stack."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch


def embed(row):
    return torch.tanh(row.detach())  # HERE


w = torch.ones(3, 2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
rows = torch.stack(list(map(embed, w)))
loss = (rows @ v).sum()
loss.backward()
