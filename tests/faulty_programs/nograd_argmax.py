"""y.float().backward() names the argmax."""

# cause: argmax
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 4)
y = net(torch.randn(5, 3)).argmax(1)  # HERE
loss = y.float().mean()
loss.backward()
