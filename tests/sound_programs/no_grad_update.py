"""Gradient descent by hand."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
for _ in range(3):
    w.grad = None
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
