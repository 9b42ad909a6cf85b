"""Features between -5 and 5."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.rand(32, 3) * 10 - 5
loss = torch.nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
