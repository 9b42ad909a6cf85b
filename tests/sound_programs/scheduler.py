"""A learning rate that warms up from almost nothing."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=5)
for _ in range(3):
    optimizer.zero_grad()
    loss = net(torch.randn(6, 3)).square().mean()
    loss.backward()
    optimizer.step()
    schedule.step()
optimizer.zero_grad()
loss = net(torch.randn(6, 3)).square().mean()
