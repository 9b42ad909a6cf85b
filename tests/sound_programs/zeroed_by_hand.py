"""Gradients set to None by a loop over the parameters."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
for x in torch.randn(3, 4, 3):
    loss = net(x).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.1 * p.grad
            p.grad = None
loss = net(x).square().mean()
