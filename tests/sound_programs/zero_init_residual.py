"""The last layer of a residual branch begins with zeros, as it is done."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


torch.manual_seed(0)
net = nn.Sequential(Block(), Block(), nn.Linear(8, 3))
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4, weight_decay=0.1)
loss = nn.functional.cross_entropy(net(torch.randn(16, 8)), torch.randint(0, 3, (16,)))
