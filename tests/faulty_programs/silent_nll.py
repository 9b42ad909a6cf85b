"""nll_loss of probabilities."""

# cause: log_softmax
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Linear(3, 5)
target = torch.zeros(8, dtype=torch.int64)
p = torch.softmax(net(torch.ones(8, 3)), dim=1)
loss = torch.nn.functional.nll_loss(p, target)  # HERE
