"""Two layers do not fit."""

# cause: mat1 and mat2 shapes cannot be multiplied
import torch

first = torch.nn.Linear(3, 4)
second = torch.nn.Linear(5, 1)
h = first(torch.ones(2, 3))
y = second(h)  # HERE
