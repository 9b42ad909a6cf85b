"""The tensors of state_dict() are detached: a loss of them trains nothing."""

# cause: through state_dict\(\)
# ask: torch.explain_none(net.weight, loss)
# look: net.weight.grad
import torch
from torch import nn

net = nn.Linear(3, 1)
weights = net.state_dict()  # HERE
loss = weights["weight"].square().sum() + (net.bias * torch.ones(1)).sum()
loss.backward()
