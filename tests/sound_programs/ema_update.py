"""A moving average of the weights under no_grad after the step."""

# ask: torch.explain.doctor(net, loss, optimizer)
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
average = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
for _ in range(3):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), net.parameters(), strict=True):
            slow.lerp_(fast, 0.1)
optimizer.zero_grad()
loss = nn.functional.cross_entropy(net(x), y)
