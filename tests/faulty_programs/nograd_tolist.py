"""The losses go through a Python list."""

# cause: does not require grad
# ask: torch.explain_none(loss)
import torch

w = torch.ones(3, requires_grad=True)
losses = (w * 2).tolist()  # HERE
loss = torch.tensor(losses).sum()
loss.backward()
