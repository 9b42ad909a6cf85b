"""The hidden state has the batch where the layers should be."""

# cause: Expected hidden size
import torch
from torch import nn

net = nn.GRU(3, 6)
state = torch.zeros(4, 1, 6)
net(torch.ones(5, 4, 3), state)  # HERE
