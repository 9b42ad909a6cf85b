"""One step with came-pytorch, on random weights."""

import torch
from came_pytorch import CAME

torch.manual_seed(0)
model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
optimizer = CAME(model.parameters(), lr=0.01)
for _ in range(3):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
