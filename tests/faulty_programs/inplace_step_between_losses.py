"""The optimiser steps between two losses of one forward pass."""

# cause: modified by an inplace operation
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.randn(5, 3))
first, second = out[:, 0].mean(), out[:, 1].mean()
first.backward(retain_graph=True)
optimizer.step()  # HERE
second.backward()
