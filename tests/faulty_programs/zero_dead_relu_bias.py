"""A large negative bias kills every unit."""

# cause: relu
# ask: torch.explain_none(w)
# look: w.grad
import torch

w = torch.ones(3, requires_grad=True)
h = torch.relu(w - 10)  # HERE
loss = h.sum()
loss.backward()
