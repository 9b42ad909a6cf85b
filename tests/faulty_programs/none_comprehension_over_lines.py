"""A comprehension collects numbers, not tensors."""

# cause: item
# ask: torch.explain_none(w, loss)
import torch

w = torch.arange(4.0, requires_grad=True)
v = torch.ones(4, requires_grad=True)
pieces = [
    (row * 2).item()  # HERE
    for row in w
]
loss = (torch.tensor(pieces) * v).sum()
loss.backward()
