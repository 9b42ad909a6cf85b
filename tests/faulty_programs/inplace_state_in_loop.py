"""A running tensor is written in place in a loop."""

# cause: modified by an inplace operation
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.ones(3)
total = torch.zeros(())
for _ in range(3):
    out = torch.tanh(w * state)
    total = total + out.pow(2).sum()
    state += 1  # HERE
total.backward()
