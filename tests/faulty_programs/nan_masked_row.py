"""A row of the attention is fully masked."""

# cause: nan.*softmax
# under: nan_guard
import torch

scores = torch.zeros(2, 3, requires_grad=True)
mask = torch.tensor([[True, True, True], [False, True, False]])
attention = torch.softmax(scores.masked_fill(mask, float("-inf")), dim=1)  # HERE
attention.sum().backward()
