"""A masked infinity is fine; the division is not."""

# cause: div
# under: nan_guard
import torch

w = torch.tensor([1.0, 0.0], requires_grad=True)
mask = torch.tensor([[0.0, float("-inf")], [0.0, 0.0]])
a = torch.softmax(torch.outer(w, w) + mask, -1)
b = a.sum(0)
c = (b - b) / (w - w)  # HERE
loss = c.sum()
loss.backward()
