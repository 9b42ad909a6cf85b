"""Two optimisers share a model's parameters between them."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
first = torch.optim.SGD(net[0].parameters(), lr=0.1)
second = torch.optim.Adam(net[2].parameters(), lr=0.001)
loss = net(torch.randn(5, 3)).square().mean()
loss.backward()
first.step()
second.step()
