"""A mean over what a mask leaves."""

# ask: torch.explain_none(w, loss)
# under: nan_guard
import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
mask = torch.tensor([1.0, 0.0, 1.0])
loss = (w * mask).sum() / mask.sum().clamp(min=1)
loss.backward()
