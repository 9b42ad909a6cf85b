"""The loss is read out to be printed, and trained with as it is."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
history = []
for _ in range(3):
    w.grad = None
    loss = (w**2).sum()
    history.append(loss.item())
    loss.backward()
