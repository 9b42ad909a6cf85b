"""A list of copies of one layer, registered."""

# ask: torch.explain.doctor(net, loss)
import copy

import torch

torch.manual_seed(0)
layer = torch.nn.Linear(4, 4)
net = torch.nn.Sequential(*[copy.deepcopy(layer) for _ in range(3)])
loss = net(torch.randn(5, 4)).square().mean()
