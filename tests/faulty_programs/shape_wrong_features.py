"""The first linear layer after the convolutions counts its inputs wrongly."""

# cause: shapes cannot be multiplied
import torch

net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(1000, 10))
net(torch.ones(4, 1, 28, 28))  # HERE
