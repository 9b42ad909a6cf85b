"""A penalty on the weights."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(8, 4), torch.randn(8, 3)
loss = (net(x) - y).pow(2).mean() + 1e-3 * sum(p.pow(2).sum() for p in net.parameters())
