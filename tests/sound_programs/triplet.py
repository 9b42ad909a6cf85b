"""Distances of an anchor."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 3)
a, p, n = net(torch.randn(6, 4)), net(torch.randn(6, 4)), net(torch.randn(6, 4))
loss = torch.nn.TripletMarginLoss(margin=2.0)(a, p, n)
