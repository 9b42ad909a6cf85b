"""An average of the weights is kept under no_grad."""

# ask: torch.explain.missing(net, loss)
import copy

import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
average = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = net(torch.randn(4, 3)).square().mean()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), net.parameters(), strict=True):
            a.mul_(0.9).add_(0.1 * p)
