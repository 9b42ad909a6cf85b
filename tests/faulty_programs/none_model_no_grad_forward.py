"""forward() of a module switches gradients off."""

# cause: no_grad
# ask: torch.explain.missing(net, loss)
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Linear(3, 4)
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x):
        with torch.no_grad():
            h = self.features(x)  # HERE
        return self.head(h)


net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
