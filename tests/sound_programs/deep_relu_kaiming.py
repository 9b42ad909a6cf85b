"""Twelve relu layers with their proper initialisation."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


def make(depth):
    layers = []
    for _ in range(depth):
        layer = nn.Linear(64, 64)
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(64, 1))


torch.manual_seed(0)
net = make(12)
loss = net(torch.randn(32, 64)).square().mean()
