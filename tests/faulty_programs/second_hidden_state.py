"""A hidden state is carried over without detach."""

# cause: backward through the graph a second time
import torch

w = torch.ones(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for _ in range(2):
    h = torch.tanh(h @ w)  # HERE
    h.sum().backward()
