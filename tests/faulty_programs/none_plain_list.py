"""Layers in a plain list are not registered."""

# cause: plain list
# ask: torch.explain.missing(net, loss)
# look: list(net.parameters())
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)]  # HERE
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
