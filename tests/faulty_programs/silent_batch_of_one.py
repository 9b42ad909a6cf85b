"""Batch norm with batches of one image."""

# cause: batch of one: net\.1
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.Linear(144, 2)
)
scores = net(torch.randn(1, 3, 8, 8))  # HERE
loss = torch.nn.functional.cross_entropy(scores, torch.tensor([1]))
