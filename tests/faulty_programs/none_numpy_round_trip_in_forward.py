"""forward() goes through NumPy."""

# cause: numpy
# ask: torch.explain.missing(net, loss)
# look: net.a.weight.grad
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)

    def forward(self, x):
        h = self.a(x).detach().numpy()  # HERE
        return self.b(torch.from_numpy(h * 2))


net = Net()
loss = net(torch.ones(3, 2)).sum()
loss.backward()
