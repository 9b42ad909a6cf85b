"""A scheduler without an optimiser."""

# cause: not an Optimizer
import torch
from torch import nn

net = nn.Linear(2, 1)
schedule = torch.optim.lr_scheduler.StepLR(net, 3)  # HERE
