"""A layer in front of a ReLU is dead."""

# cause: relu
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
with torch.no_grad():
    net[0].bias.fill_(-100.0)
h = torch.relu(net[0](torch.ones(2, 3)))  # HERE
loss = net[1](h).sum()
