"""One step with adabelief-pytorch, on random weights."""

import torch
from adabelief_pytorch import AdaBelief

torch.manual_seed(0)
model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
optimizer = AdaBelief(model.parameters(), lr=0.01, print_change_log=False)
for _ in range(6):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
