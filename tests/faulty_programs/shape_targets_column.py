"""Targets of cross-entropy are a column."""

# cause: 1D target tensor expected
import torch
from torch import nn

logits = torch.zeros(4, 3, requires_grad=True)
loss = nn.functional.cross_entropy(logits, torch.zeros(4, 1, dtype=torch.int64))  # HERE
