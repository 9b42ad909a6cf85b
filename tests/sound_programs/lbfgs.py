"""LBFGS with a closure."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=3)


def closure():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


optimizer.step(closure)
loss = closure()
