"""logsumexp of large scores."""

# ask: torch.explain_none(x, loss)
# under: nan_guard
import torch

x = torch.tensor([1000.0, 999.0], requires_grad=True)
loss = torch.logsumexp(x, 0)
loss.backward()
