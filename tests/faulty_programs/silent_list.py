"""Layers in a plain list."""

# cause: plain list
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [torch.nn.Linear(3, 3)]  # HERE
        self.out = torch.nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.out(x)


net = Net()
loss = net(torch.ones(2, 3)).sum()
