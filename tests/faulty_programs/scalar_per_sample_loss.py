"""reduction='none' leaves a loss for each sample."""

# cause: implicitly created only for scalar outputs
import torch

net = torch.nn.Linear(3, 2)
loss = torch.nn.functional.cross_entropy(net(torch.ones(4, 3)), torch.zeros(4, dtype=torch.int64), reduction="none")
loss.backward()  # HERE
