"""A learning rate of layers: the head was replaced after the optimiser was made."""

# cause: not in the optimiser
# ask: torch.explain.doctor(net, loss, optimiser)
# look: loss
import torch

net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
optimiser = torch.optim.SGD(net.parameters(), lr=0.1)  # HERE
net[2] = torch.nn.Linear(4, 3)
loss = torch.nn.functional.cross_entropy(net(torch.ones(5, 3)), torch.zeros(5, dtype=torch.int64))
