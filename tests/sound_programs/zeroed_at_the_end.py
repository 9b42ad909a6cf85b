"""zero_grad stands at the end of the turn."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(6, 3)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
loss = net(torch.randn(6, 3)).square().mean()
