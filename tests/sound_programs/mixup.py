"""A mixture of two batches."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 3))
x, y, mix = torch.randn(8, 4), torch.randint(0, 3, (8,)), 0.3
order = torch.randperm(8)
scores = net(mix * x + (1 - mix) * x[order])
criterion = torch.nn.CrossEntropyLoss()
loss = mix * criterion(scores, y) + (1 - mix) * criterion(scores, y[order])
