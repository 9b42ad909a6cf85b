"""A layer is made and never called."""

# cause: not calculated
# ask: torch.explain.missing(net, loss)
# look: net.extra.weight.grad
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 3)
        self.second = torch.nn.Linear(3, 1)
        self.extra = torch.nn.Linear(3, 3)  # HERE

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
