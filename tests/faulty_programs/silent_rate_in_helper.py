"""SGD with a rate far too large, in a helper that makes the optimiser."""

# cause: learning rate: .*times their own size
# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn


def make_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=300.0)  # HERE


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = make_optimizer(net)
loss = (net(torch.randn(16, 4)) - 1).square().mean()
