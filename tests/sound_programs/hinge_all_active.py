"""A multi-margin loss."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 4)
loss = nn.functional.multi_margin_loss(net(torch.randn(6, 3)), torch.tensor([0, 1, 2, 3, 0, 1]))
