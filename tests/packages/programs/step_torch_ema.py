"""One step with torch-ema, on random weights."""

import torch
from torch_ema import ExponentialMovingAverage

torch.manual_seed(0)
model, x = torch.nn.Linear(4, 1), torch.randn(6, 4)
optimizer, average = (
    torch.optim.SGD(model.parameters(), lr=0.1),
    ExponentialMovingAverage(model.parameters(), decay=0.9),
)
for _ in range(3):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update()
with average.average_parameters():
    print(model(x).square().mean().item())
print(model(x).square().mean().item())
