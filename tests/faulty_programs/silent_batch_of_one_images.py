"""Batch norm on a single image in a loop over images."""

# cause: batch of one
# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
for image in torch.rand(2, 1, 8, 8):
    out = net(image[None])  # HERE
    loss = nn.functional.cross_entropy(out, torch.tensor([1]))
