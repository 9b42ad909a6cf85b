"""binary_cross_entropy takes probabilities."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Sigmoid())
loss = torch.nn.functional.binary_cross_entropy(net(torch.randn(8, 3)), torch.ones(8, 1))
