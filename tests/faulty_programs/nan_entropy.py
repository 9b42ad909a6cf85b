"""log of a probability that is zero, in a module, with nan_guard."""

# cause: log
# under: nan_guard
import torch
from torch import nn


class Entropy(nn.Module):
    def forward(self, p):
        return -(p * torch.log(p)).sum(-1)  # HERE


torch.manual_seed(0)
net = nn.Linear(2, 3)
p = torch.softmax(net(torch.ones(2, 2)) * 1000, -1)
loss = Entropy()(p).mean()
loss.backward()
