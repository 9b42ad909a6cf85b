"""eval() for validation, train() for training."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.2), torch.nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
net.eval()
with torch.no_grad():
    validation = net(torch.randn(5, 3)).mean().item()
net.train()
loss = net(torch.randn(8, 3)).square().mean()
