"""Targets of binary cross-entropy lack the last dimension."""

# cause: Target size.*must be the same as input size
import torch
from torch import nn

logits = torch.zeros(4, 1, requires_grad=True)
loss = nn.functional.binary_cross_entropy_with_logits(logits, torch.zeros(4))  # HERE
