"""The images are not flattened before the linear layer."""

# cause: shapes cannot be multiplied
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = torch.nn.Sequential(torch.nn.Linear(784, 10), torch.nn.ReLU())

    def forward(self, x):
        return self.layer1(x)  # HERE


net = Net()
net(torch.ones(32, 1, 28, 28))
