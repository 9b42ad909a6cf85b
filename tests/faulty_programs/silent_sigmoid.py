"""sigmoid before binary_cross_entropy_with_logits."""

# cause: sigmoid
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Linear(3, 1)
p = torch.sigmoid(net(torch.ones(8, 3)))  # HERE
loss = torch.nn.functional.binary_cross_entropy_with_logits(p, torch.ones(8, 1))
