"""A layer's weight is replaced by a plain tensor made from a Parameter: in __init__, once."""

# cause: second time
# look: loss
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = torch.nn.Parameter(torch.ones(3))
        self.weight = torch.exp(self.raw)  # HERE

    def forward(self, x):
        return (x * self.weight).sum()


net = Net()
for _ in range(2):
    loss = net(torch.ones(3))
    loss.backward()
