"""The input is chosen before sqrt, so that nothing is infinite."""

# ask: torch.explain_none(x, loss)
# under: nan_guard
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, x, torch.ones_like(x))
y = torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x))
loss = y.sum()
loss.backward()
