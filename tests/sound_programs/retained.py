"""The gradient of a hidden value was asked for in time."""

# ask: torch.explain_none(h, loss)
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
loss = h.square().sum()
loss.backward()
