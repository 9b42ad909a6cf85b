"""A full backward hook... of a tensor, in forward(), with a wrong shape."""

# cause: hook.*size
import torch
from torch import nn


def clip_rows(g):
    return g[:, :1]  # HERE


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)

    def forward(self, x):
        h = self.a(x)
        h.register_hook(clip_rows)
        return h.sum()


net = Net()
loss = net(torch.ones(2, 2))
loss.backward()
