"""A trainer keeps its last losses as tensors."""

# cause: trainer\.losses
# ask: torch.explain.alive()
# look: len(trainer.losses)
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.losses = []


trainer, net = Trainer(), nn.Linear(50, 50)
for _ in range(3):
    trainer.losses.append(net(torch.ones(4, 50)).square().mean())  # HERE
