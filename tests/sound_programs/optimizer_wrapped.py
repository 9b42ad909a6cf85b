"""A user's optimiser class around SGD."""

# ask: torch.explain.doctor(net, loss, opt)
import torch
from torch import nn


class Careful(torch.optim.SGD):
    def __init__(self, params):
        super().__init__(params, lr=0.01)


torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = Careful(net.parameters())
for x in torch.randn(2, 4, 3):
    opt.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    opt.step()
opt.zero_grad()
loss = net(x).square().mean()
