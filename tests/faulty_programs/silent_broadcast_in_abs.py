"""A column of predictions against a row of targets."""

# cause: broadcast
# ask: torch.explain.doctor(net, loss)
import torch

net = torch.nn.Linear(4, 1)
target = torch.randn(6)
prediction = net(torch.randn(6, 4))
error = prediction - target  # HERE
loss = error.abs().mean()
