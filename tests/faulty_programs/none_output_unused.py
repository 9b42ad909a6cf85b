"""One of two results is not used."""

# cause: does not use|not part of the loss|not used
# ask: torch.explain_none(b, loss)
import torch

a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
extra = torch.exp(b)  # HERE
loss = (a * 2).sum()
loss.backward()
