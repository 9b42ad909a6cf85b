"""Dropout while training."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(16, 1))
loss = net(torch.randn(8, 6)).square().mean()
loss.backward()
