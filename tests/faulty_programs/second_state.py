"""A state is carried from turn to turn."""

# cause: second time
import torch

w = torch.ones(2, requires_grad=True)
state = torch.zeros(2)
for _ in range(2):
    state = torch.tanh(state + w)  # HERE
    state.sum().backward()
