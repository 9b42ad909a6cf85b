"""The criterion of logits gets logits."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sigmoid(), torch.nn.Linear(4, 1))
loss = torch.nn.BCEWithLogitsLoss()(net(torch.randn(8, 3)), torch.ones(8, 1))
