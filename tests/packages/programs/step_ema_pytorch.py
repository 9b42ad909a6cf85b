"""One step with ema-pytorch, on random weights."""

import torch
from ema_pytorch import EMA

torch.manual_seed(0)
model, x = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)), torch.randn(6, 4)
average, optimizer = (
    EMA(model, beta=0.9, update_after_step=1, update_every=1),
    torch.optim.SGD(model.parameters(), lr=0.1),
)
for _ in range(4):
    loss = (model(x) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update()
print(average(x).sum().item(), average.get_current_decay())
