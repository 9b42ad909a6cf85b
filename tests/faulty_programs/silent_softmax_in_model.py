"""The network ends in Softmax and the loss is CrossEntropyLoss."""

# cause: softmax
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Softmax(dim=1))
criterion = torch.nn.CrossEntropyLoss()
out = net(torch.ones(8, 3))  # HERE
loss = criterion(out, torch.zeros(8, dtype=torch.int64))
