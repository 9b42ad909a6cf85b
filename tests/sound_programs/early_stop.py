"""The loss is compared with the best so far."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([3.0, 1.0], requires_grad=True)
best = float("inf")
for _ in range(2):
    w.grad = None
    loss = w.square().mean()
    loss.backward()
    if loss.item() < best:
        best = loss.item()
