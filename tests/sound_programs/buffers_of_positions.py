"""Positions are a buffer, and are meant to be one."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch


class Placed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self.register_buffer("positions", torch.linspace(-1, 1, 4))

    def forward(self, x):
        return self.linear(x + self.positions)


torch.manual_seed(0)
net = Placed()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = torch.nn.functional.cross_entropy(net(torch.randn(6, 4)), torch.tensor([0, 1, 0, 1, 1, 0]))
