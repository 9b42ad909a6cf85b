"""log after a lower bound."""

# ask: torch.explain_none(p, loss)
# under: nan_guard
import torch

p = torch.tensor([0.5, 0.0, 0.25], requires_grad=True)
loss = -torch.log(p.clamp(min=1e-6)).sum()
loss.backward()
