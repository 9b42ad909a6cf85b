"""One step with prodigyopt, on random weights."""

import torch
from prodigyopt import Prodigy

torch.manual_seed(0)
model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
optimizer = Prodigy(model.parameters(), lr=1.0, weight_decay=0.01)
for _ in range(6):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), optimizer.param_groups[0]["d"])
