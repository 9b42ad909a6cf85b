"""BatchNorm2d has the number of channels of another layer."""

# cause: running_mean|net\.1|32
import torch

net = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.BatchNorm2d(32), torch.nn.ReLU())
net(torch.ones(2, 3, 8, 8))  # HERE
