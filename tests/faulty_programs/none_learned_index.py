"""A position that is to be learned is used as an index."""

# cause: integer
# ask: torch.explain_none(position, loss)
# look: position.grad
import torch

table = torch.arange(5.0, requires_grad=True)
position = torch.tensor(2.3, requires_grad=True)
value = table[position.long()]  # HERE
loss = (value - 1) ** 2
loss.backward()
