"""Items of a comprehension are numbers."""

# cause: read out
# ask: torch.explain_none(w, loss)
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
numbers = [x.item() for x in w]  # HERE
loss = (torch.tensor(numbers) * v).sum()
loss.backward()
