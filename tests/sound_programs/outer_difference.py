"""Every pair is meant: a column against a row."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
score = net(torch.randn(6, 3)).squeeze(1)
difference = score[:, None] - score[None, :]
loss = torch.nn.functional.softplus(-difference).mean()
