"""Labels of a classification are floats."""

# cause: expected
import torch

net = torch.nn.Linear(4, 3)
scores = net(torch.ones(2, 4))
loss = torch.nn.functional.cross_entropy(scores, torch.ones(2))  # HERE
