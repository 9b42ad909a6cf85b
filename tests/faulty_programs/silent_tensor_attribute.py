"""A weight that is a plain tensor with requires_grad, not a Parameter."""

# cause: not registered|does not find
# ask: torch.explain.doctor(net, loss)
# look: list(net.parameters())
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(3, 4)
        self.scale = torch.ones(4, requires_grad=True)  # HERE

    def forward(self, x):
        return self.body(x) * self.scale


net = Net()
loss = net(torch.ones(2, 3)).sum()
