"""The optimiser was made of the head only."""

# cause: optimiser .*does not have
# ask: torch.explain.doctor(net, loss, opt)
import torch

net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
opt = torch.optim.Adam(net[2].parameters(), lr=0.01)  # HERE
loss = net(torch.randn(8, 3)).square().mean()
