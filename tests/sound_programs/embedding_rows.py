"""Not every word is in the batch."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Embedding(50, 4), torch.nn.Flatten(), torch.nn.Linear(12, 2))
loss = torch.nn.functional.cross_entropy(net(torch.randint(0, 5, (6, 3))), torch.tensor([0, 1, 0, 1, 0, 1]))
