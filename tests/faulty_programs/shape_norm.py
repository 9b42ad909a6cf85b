"""A batch norm is made for another number of channels."""

# cause: running_mean should contain
import torch

net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.BatchNorm2d(16))
net(torch.ones(4, 1, 28, 28))  # HERE
