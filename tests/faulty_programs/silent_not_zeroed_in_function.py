"""train() forgets zero_grad, and a gradient check of another model comes first in the file."""

# cause: not zeroed
# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn


def check(model, x):
    model(x).sum().backward()
    model.zero_grad()


def train(model, optimizer, x, y):
    out = model(x)
    loss = nn.functional.mse_loss(out, y)
    loss.backward()  # HERE
    optimizer.step()
    return loss


torch.manual_seed(0)
other = nn.Linear(4, 1)
check(other, torch.randn(2, 4))
net = nn.Linear(4, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(3):
    train(net, optimizer, x, y)
loss = nn.functional.mse_loss(net(x), y)
