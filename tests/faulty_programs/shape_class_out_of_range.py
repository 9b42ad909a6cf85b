"""A target names a class that the network does not have."""

# cause: Target 3 is out of bounds
import torch
from torch import nn

logits = torch.zeros(2, 3, requires_grad=True)
loss = nn.functional.cross_entropy(logits, torch.tensor([1, 3]))  # HERE
