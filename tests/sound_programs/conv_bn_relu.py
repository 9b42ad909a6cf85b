"""A small convolutional network."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


torch.manual_seed(0)
net = nn.Sequential(conv(1, 4), nn.MaxPool2d(2), conv(4, 8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
loss = nn.functional.cross_entropy(net(torch.randn(8, 1, 8, 8)), torch.randint(0, 3, (8,)))
