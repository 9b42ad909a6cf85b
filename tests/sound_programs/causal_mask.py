"""A mask of -inf that leaves each row something."""

# ask: torch.explain_none(q, loss)
# under: nan_guard
import torch

torch.manual_seed(0)
q, k = torch.randn(4, 3, requires_grad=True), torch.randn(4, 3)
mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
attention = torch.softmax((q @ k.T).masked_fill(mask, float("-inf")), 1)
loss = (attention @ k).square().sum()
loss.backward()
