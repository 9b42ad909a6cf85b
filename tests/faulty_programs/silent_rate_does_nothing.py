"""A learning rate that rounding swallows."""

# cause: learning rate: .*changes 0 of
# ask: torch.explain.doctor(net, loss, optimizer)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-11)  # HERE
loss = net(torch.randn(16, 4)).square().mean()
