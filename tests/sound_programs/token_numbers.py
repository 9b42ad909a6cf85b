"""Token numbers are large, and are numbers of rows."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Embedding(30000, 4), torch.nn.Linear(4, 2))
tokens = torch.tensor([29000, 15, 7, 12345])
loss = torch.nn.functional.cross_entropy(net(tokens), torch.tensor([0, 1, 0, 1]))
