"""The layers do not fit."""

# cause: cannot be multiplied
import torch

first, second = torch.nn.Linear(4, 8), torch.nn.Linear(6, 1)
h = first(torch.ones(2, 4))
out = second(h)  # HERE
out.sum().backward()
