"""Heads in a plain dict are not registered."""

# cause: plain dict
# ask: torch.explain.missing(net, loss)
# look: list(net.parameters())
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(3, 3)
        self.heads = {"mean": torch.nn.Linear(3, 1)}  # HERE

    def forward(self, x):
        return self.heads["mean"](self.body(x))


net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
