"""A generator yields losses, zeroed in the loop."""

# ask: torch.explain.doctor(net, loss, opt)
import torch
from torch import nn


def losses(net, data):
    for x in data:
        yield net(x).square().mean()


torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
data = torch.randn(3, 4, 3)
for value in losses(net, data):
    opt.zero_grad(set_to_none=False)
    value.backward()
    opt.step()
opt.zero_grad(set_to_none=False)
loss = net(data[0]).square().mean()
