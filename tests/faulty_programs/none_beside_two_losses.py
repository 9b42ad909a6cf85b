"""Two losses; the second one does not use the body because of its own cut."""

# cause: detach
# ask: torch.explain.missing(net.body, second)
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.a, self.b = nn.Linear(3, 1), nn.Linear(3, 1)

    def forward(self, x):
        h = self.body(x)
        return self.a(h), self.b(h.detach())  # HERE


torch.manual_seed(0)
net = Net()
out_a, out_b = net(torch.randn(4, 3))
first, second = out_a.mean(), out_b.square().mean()
second.backward()
