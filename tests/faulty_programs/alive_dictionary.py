"""Losses are gathered in a dictionary for a report."""

# cause: report
# ask: torch.explain.alive()
# look: len(report)
import torch
from torch import nn

net, report = nn.Linear(50, 50), {}
for step in range(3):
    loss = net(torch.ones(4, 50)).exp().mean()
    report[f"loss {step}"] = loss * 2  # HERE
