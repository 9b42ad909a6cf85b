"""Keyword arguments are passed through two functions."""

# cause: item
# ask: torch.explain_none(temperature, loss)
import torch


def soften(scores, **options):
    return scaled(scores, **options)


def scaled(scores, temperature):
    return scores / temperature.item()  # HERE


temperature = torch.tensor(2.0, requires_grad=True)
scores = torch.ones(3, requires_grad=True)
loss = soften(scores, temperature=temperature).sum()
loss.backward()
