"""A row of attention that is masked completely."""

# cause: softmax
# under: nan_guard
import torch


def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, -1) @ v  # HERE


torch.manual_seed(0)
q = torch.randn(2, 3, 4, requires_grad=True)
mask = torch.ones(2, 3, 3, dtype=torch.bool).triu(0)
out = attend(q, q, q, mask)
loss = out.sum()
loss.backward()
