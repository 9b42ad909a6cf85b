"""zero_grad() stands between backward() and step()."""

# cause: was there and was cleared
# ask: torch.explain_none(net.weight, loss)
# look: net.weight.grad
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(2, 3)).sum()
loss.backward()
optimizer.zero_grad()  # HERE
optimizer.step()
