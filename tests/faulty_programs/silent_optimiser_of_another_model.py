"""The model was made anew after its optimiser."""

# cause: optimiser optimizer does not have weight
# ask: torch.explain.doctor(net, loss, optimizer)
# look: loss
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters())  # HERE
net = nn.Linear(3, 1)
loss = net(torch.ones(4, 3)).square().mean()
