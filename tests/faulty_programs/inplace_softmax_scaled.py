"""Attention weights are scaled in place after softmax."""

# cause: modified by an inplace operation
import torch

q = torch.randn(1, 4, 8, requires_grad=True)
attention = torch.softmax(q @ q.transpose(1, 2), dim=-1)
attention *= 0.5  # HERE
(attention @ q).sum().backward()
