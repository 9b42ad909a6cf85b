"""A running average that is part of the graph is updated in place."""

# cause: modified by an inplace operation
import torch

w = torch.ones(3, requires_grad=True)
average = torch.zeros(3)
total = 0.0
for _ in range(2):
    average.mul_(0.9).add_(w * 0.1)  # HERE
    total = total + average.square().sum()
total.backward()
