"""A sigmoid gate multiplies scores that go into BCE with logits."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate = nn.Linear(4, 1), nn.Linear(4, 1)

    def forward(self, x):
        return self.value(x) * torch.sigmoid(self.gate(x))


torch.manual_seed(0)
net = Gated()
loss = nn.functional.binary_cross_entropy_with_logits(net(torch.randn(6, 4)), torch.ones(6, 1))
