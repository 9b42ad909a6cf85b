"""Indices of topk select rows, values carry the gradient."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([0.3, 2.0, 1.0], requires_grad=True)
values, places = torch.topk(w, 2)
names = [("a", "b", "c")[int(i)] for i in places]
loss = values.sum()
loss.backward()
