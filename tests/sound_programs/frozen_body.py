"""A frozen body, and an optimiser of the head alone."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
net[0].requires_grad_(False)
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-3)
loss = torch.nn.functional.cross_entropy(net(torch.randn(6, 3)), torch.tensor([0, 1, 0, 1, 1, 0]))
