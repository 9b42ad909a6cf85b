"""Two losses of one step, each with its own backward()."""

# ask: torch.explain.doctor(net, loss, optimizer, accumulate=2)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.randn(8, 4)
optimizer.zero_grad()
first = net(x).square().mean() / 2
first.backward()
loss = net(x + 1).square().mean() / 2
