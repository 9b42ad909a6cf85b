"""Pixels normalised as usual, through a Normalize module."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406])[:, None, None])
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225])[:, None, None])

    def forward(self, x):
        return (x.float() / 255 - self.mean) / self.std


torch.manual_seed(0)
net = nn.Sequential(Normalise(), nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
images = torch.randint(0, 256, (4, 3, 8, 8), dtype=torch.uint8)
loss = nn.functional.cross_entropy(net(images), torch.tensor([0, 1, 1, 0]))
