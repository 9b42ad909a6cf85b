"""super().__init__() is forgotten."""

# cause: before Module.__init__\(\) call
from torch import nn


class Net(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(2, 2)  # HERE


net = Net()
