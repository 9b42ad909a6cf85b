"""softmax before cross_entropy."""

# cause: softmax
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Linear(3, 5)
target = torch.zeros(8, dtype=torch.int64)
p = torch.softmax(net(torch.ones(8, 3)), dim=1)  # HERE
loss = torch.nn.functional.cross_entropy(p, target)
