"""Gradients are switched off and on again."""

# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
torch.set_grad_enabled(False)
shown = (w * 2).sum()
torch.set_grad_enabled(True)
loss = (w * 2).sum()
loss.backward()
