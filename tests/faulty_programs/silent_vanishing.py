"""Twelve sigmoids upon each other."""

# cause: vanishing gradients: the gradient of net\.0
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
layers = [part for _ in range(12) for part in (torch.nn.Linear(16, 16), torch.nn.Sigmoid())]
net = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
out = net(torch.randn(32, 16))  # HERE
loss = out.square().mean()
