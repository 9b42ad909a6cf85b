"""The loss is of the targets with themselves."""

# cause: does not require grad
import torch
from torch import nn

net = nn.Linear(3, 1)
target = torch.ones(2, 1)
prediction = net(torch.ones(2, 3))
loss = nn.functional.mse_loss(target, target)
loss.backward()  # HERE
