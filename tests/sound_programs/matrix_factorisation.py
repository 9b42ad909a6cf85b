"""Two tables of factors."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.ModuleDict({"users": torch.nn.Embedding(10, 3), "films": torch.nn.Embedding(12, 3)})
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
users, films, stars = torch.tensor([0, 1, 9]), torch.tensor([3, 3, 11]), torch.tensor([5.0, 3.0, 4.0])
guess = (net["users"](users) * net["films"](films)).sum(1)
loss = (guess - stars).square().mean()
