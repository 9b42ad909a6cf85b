"""The optimiser steps between two losses of one forward pass."""

# cause: modified by an inplace operation
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.ones(2, 3))
first, second = out.sum(), out.square().sum()
first.backward(retain_graph=True)
optimizer.step()  # HERE
second.backward()
