"""A similarity that is safe by its eps."""

# ask: torch.explain_none(w, loss)
# under: nan_guard
import torch

w = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
loss = 1 - torch.nn.functional.cosine_similarity(w, torch.ones(2, 2)).mean()
loss.backward()
