"""The images come with their channels last."""

# cause: expected input.* channels
import torch

net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU())
net(torch.ones(2, 28, 28, 3))  # HERE
