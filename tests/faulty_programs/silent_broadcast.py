"""(N, 1) against (N,) in the loss."""

# cause: broadcast
# ask: torch.explain.doctor(net, loss)
# look: loss
import warnings

import torch

warnings.simplefilter("ignore")
net = torch.nn.Linear(3, 1)
x, target = torch.ones(8, 3), torch.ones(8)
loss = ((net(x) - target) ** 2).mean()  # HERE
