"""A training function made by another function."""

# cause: not zeroed
# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn


def make_step(model, opt, criterion):
    def step(x, y):
        loss = criterion(model(x), y)
        loss.backward()  # HERE
        opt.step()
        return loss.item()

    return step


torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
step = make_step(net, optimizer, nn.MSELoss())
x, y = torch.randn(6, 3), torch.randn(6, 1)
history = [step(x, y) for _ in range(3)]
loss = nn.MSELoss()(net(x), y)
