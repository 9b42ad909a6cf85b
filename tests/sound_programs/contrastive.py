"""Similarities of normalised vectors, with the pairs on the diagonal."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch.nn import functional

torch.manual_seed(0)
net = torch.nn.Linear(5, 4)
a = functional.normalize(net(torch.randn(6, 5)), dim=1)
b = functional.normalize(net(torch.randn(6, 5)), dim=1)
loss = functional.cross_entropy(a @ b.T / 0.1, torch.arange(6))
