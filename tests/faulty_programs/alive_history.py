"""Outputs are collected for a plot with their graphs."""

# cause: saves [\d,]+ bytes.*history|history
# ask: torch.explain.alive()
# look: len(history)
import torch

net = torch.nn.Linear(100, 100)
history = []
for _ in range(3):
    history.append(torch.tanh(net(torch.ones(10, 100))))  # HERE
