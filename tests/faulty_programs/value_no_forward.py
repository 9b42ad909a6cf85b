"""forward() is called forwards."""

# cause: missing the required .forward
import torch
from torch import nn


class Net(nn.Module):
    def forwards(self, x):
        return x


net = Net()
out = net(torch.ones(2))  # HERE
