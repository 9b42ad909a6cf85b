"""forward() goes through NumPy for one function that torch lacks."""

# cause: numpy
# ask: torch.explain.missing(net, loss)
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 1)

    def forward(self, x):
        hidden = self.first(x)
        values = np.arcsinh(hidden.detach().numpy())  # HERE
        return self.second(torch.from_numpy(values))


torch.manual_seed(0)
net = Net()
loss = net(torch.randn(4, 3)).square().mean()
loss.backward()
