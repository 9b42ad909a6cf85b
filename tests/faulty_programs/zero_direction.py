"""sign is flat."""

# cause: flat
# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([0.5, -0.5], requires_grad=True)
direction = torch.sign(w)  # HERE
loss = (direction * 2).sum()
loss.backward()
