"""zero_grad() came before the gradient was looked at."""

# cause: cleared
# ask: torch.explain_none(net.weight, loss)
# look: net.weight.grad
import torch

net = torch.nn.Linear(3, 1)
loss = net(torch.ones(2, 3)).sum()
loss.backward()
net.zero_grad()  # HERE
