"""A module's forward detaches one branch."""

# cause: detach
# ask: torch.explain.missing(net, loss)
# look: net.left.weight.grad
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.left = torch.nn.Linear(3, 1)
        self.right = torch.nn.Linear(3, 1)

    def forward(self, x):
        gate = torch.sigmoid(self.left(x)).detach()  # HERE
        return gate * self.right(x)


net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
