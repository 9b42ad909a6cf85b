"""A line is fitted."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, target = torch.randn(16, 3), torch.randn(16, 1)
for _ in range(3):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), target)
    loss.backward()
    optimizer.step()
optimizer.zero_grad()
loss = torch.nn.functional.mse_loss(net(x), target)
