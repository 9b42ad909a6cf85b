"""Gradients are clipped before the step."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(torch.randn(6, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
optimizer.zero_grad()
loss = net(torch.randn(6, 3)).square().mean()
