"""Softmax for a display beside cross_entropy on scores."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
scores = net(torch.randn(6, 4))
shown = scores.softmax(-1).argmax(-1).tolist()
loss = nn.functional.cross_entropy(scores, torch.tensor([0, 1, 2, 0, 1, 2]))
