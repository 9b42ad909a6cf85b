"""A layer of a Sequential works in place on what the layer before it needs."""

# cause: modified by an inplace operation
import torch

net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))
out = net(torch.ones(2, 3))  # HERE
out.sum().backward()
