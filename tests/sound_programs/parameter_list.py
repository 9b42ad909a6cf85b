"""Parameters in a ParameterList."""

# ask: torch.explain.missing(net, loss)
import torch


class Mixture(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.means = torch.nn.ParameterList([torch.nn.Parameter(torch.randn(2)) for _ in range(3)])

    def forward(self, x):
        return torch.stack([(x - m).square().sum(1) for m in self.means]).logsumexp(0)


torch.manual_seed(0)
net = Mixture()
loss = net(torch.randn(6, 2)).mean()
loss.backward()
