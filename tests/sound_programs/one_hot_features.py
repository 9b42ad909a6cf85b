"""One-hot columns, one of which is rare."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
ids = torch.tensor([0] * 60 + [1] * 3 + [2])
x = nn.functional.one_hot(ids, 3).float()
net = nn.Linear(3, 2)
loss = nn.functional.cross_entropy(net(x), torch.randint(0, 2, (64,)))
