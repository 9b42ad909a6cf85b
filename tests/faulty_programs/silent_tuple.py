"""Branches in a tuple."""

# cause: plain tuple
# ask: torch.explain.doctor(net, loss)
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 3)
        self.branches = (torch.nn.Linear(3, 1), torch.nn.Linear(3, 1))  # HERE

    def forward(self, x):
        x = self.first(x)
        return sum(b(x) for b in self.branches)


net = Net()
loss = net(torch.ones(2, 3)).sum()
