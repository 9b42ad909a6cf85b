"""round() with the gradient of the identity."""

# ask: torch.explain_none(x, loss)
import torch

x = torch.tensor([0.2, 0.9], requires_grad=True)
rounded = x + (torch.round(x) - x).detach()
loss = (rounded * torch.tensor([1.0, 2.0])).sum()
loss.backward()
