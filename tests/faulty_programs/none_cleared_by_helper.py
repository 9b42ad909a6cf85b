"""A helper does step and zero_grad, then the gradient is looked at."""

# cause: cleared
# ask: torch.explain_none(net.weight)
import torch
from torch import nn


def update(optimizer):
    optimizer.step()
    optimizer.zero_grad()  # HERE


torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.randn(4, 2)).square().mean()
loss.backward()
update(optimizer)
