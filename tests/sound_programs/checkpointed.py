"""A part is calculated again in the backward pass."""

# ask: torch.explain.missing(net, loss)
import torch
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
x = torch.randn(6, 3, requires_grad=True)
loss = checkpoint(net, x, use_reentrant=False).square().mean()
loss.backward()
