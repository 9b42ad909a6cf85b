"""Class numbers are floating point numbers."""

# cause: expected target dtype to be Long
import torch
from torch import nn

logits = torch.zeros(2, 3, requires_grad=True)
loss = nn.functional.cross_entropy(logits, torch.tensor([1.0, 2.0]))  # HERE
