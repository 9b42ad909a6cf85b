"""The largest values, whose gradient is that of the values."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, places = w.topk(2)
loss = values.sum() + w.sum()
loss.backward()
