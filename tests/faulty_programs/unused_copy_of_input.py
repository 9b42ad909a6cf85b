"""A gradient penalty asks for a copy that the score was not made from."""

# cause: appears to not have been used in the graph
import torch
from torch import nn

critic = nn.Linear(3, 1)
real = torch.ones(2, 3)
score = critic(real).sum()
copy = real.clone().requires_grad_()
(slope,) = torch.autograd.grad(score, copy)  # HERE
