"""The mask of attention has the lengths of another batch."""

# cause: must match the size of tensor
import torch

scores, mask = torch.zeros(2, 4, 5, 5), torch.zeros(7, 7, dtype=torch.bool)
masked = scores.masked_fill(mask, float("-inf"))  # HERE
