"""A frozen body that the optimiser does not have; two rates."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.ModuleDict({"body": nn.Linear(4, 8), "neck": nn.Linear(8, 8), "head": nn.Linear(8, 2)})
net["body"].requires_grad_(False)
optimizer = torch.optim.Adam([{"params": net["neck"].parameters(), "lr": 1e-4}, {"params": net["head"].parameters()}])
h = torch.relu(net["neck"](net["body"](torch.randn(8, 4))))
loss = nn.functional.cross_entropy(net["head"](h), torch.tensor([0, 1] * 4))
