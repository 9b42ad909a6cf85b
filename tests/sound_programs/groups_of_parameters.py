"""Two groups with rates of their own."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
groups = [{"params": net[0].parameters(), "lr": 1e-3}, {"params": net[2].parameters(), "lr": 1e-2}]
optimizer = torch.optim.SGD(groups, lr=0.1)
loss = net(torch.randn(6, 3)).square().mean()
