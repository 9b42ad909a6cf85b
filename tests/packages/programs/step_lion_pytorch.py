"""One step with lion-pytorch, on random weights."""

import torch
from lion_pytorch import Lion

torch.manual_seed(0)
model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
optimizer = Lion(model.parameters(), lr=0.01, weight_decay=0.1)
for _ in range(3):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
