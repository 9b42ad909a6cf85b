"""forward() replaces a parameter; the optimiser holds the old one."""

# cause: the optimi[sz]er optimizer does not have weight
# ask: torch.explain.doctor(net, loss, optimizer)
# look: net.weight.grad
import torch
from torch import nn


class Normalised(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.weight = nn.Parameter(self.weight / self.weight.norm())
        return x @ self.weight


net = Normalised()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # HERE
loss = net(torch.ones(2, 3)).sum()
loss.backward()
