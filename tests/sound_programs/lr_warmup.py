"""A rate near zero because a scheduler is warming up."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 1000))
loss = net(torch.randn(8, 4)).square().mean()
