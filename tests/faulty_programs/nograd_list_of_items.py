"""Losses are collected as numbers and averaged."""

# cause: does not require grad
# ask: torch.explain_none(loss)
import torch

w = torch.ones(3, requires_grad=True)
losses = []
for k in range(3):
    losses.append((w * k).sum().item())  # HERE
loss = torch.tensor(losses).mean()
loss.backward()
