"""One step with pytorch-warmup, on random weights."""

import pytorch_warmup
import torch

torch.manual_seed(0)
model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
warmup = pytorch_warmup.UntunedLinearWarmup(optimizer)
for _ in range(3):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with warmup.dampening():
        schedule.step()
    print(loss.item(), optimizer.param_groups[0]["lr"])
