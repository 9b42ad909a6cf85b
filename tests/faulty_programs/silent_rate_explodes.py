"""A learning rate for another optimiser."""

# cause: learning rate: .*moves the weights by .* times their own size
# ask: torch.explain.doctor(net, loss, optimizer)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=10.0)  # HERE
loss = net(torch.randn(16, 4)).square().mean()
