"""Heads in a plain dict by task."""

# cause: plain dict
# ask: torch.explain.doctor(net, loss)
# look: list(net.parameters())
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(3, 4)
        self.heads = {"a": torch.nn.Linear(4, 1), "b": torch.nn.Linear(4, 1)}  # HERE

    def forward(self, x, task):
        return self.heads[task](self.body(x))


net = Net()
loss = net(torch.ones(2, 3), "a").sum()
