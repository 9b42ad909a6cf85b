"""All values are beyond the bound."""

# cause: flat
# ask: torch.explain_none(w, loss)
import torch

w = torch.tensor([5.0, 6.0], requires_grad=True)
bounded = w.clamp(0, 1)  # HERE
loss = bounded.sum()
loss.backward()
