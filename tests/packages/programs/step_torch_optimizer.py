"""One step with torch-optimizer, on random weights."""

import torch
import torch_optimizer

for rule in (torch_optimizer.DiffGrad, torch_optimizer.Yogi, torch_optimizer.AdaBound, torch_optimizer.Lamb):
    torch.manual_seed(0)
    model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
    optimizer = rule(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), model.weight.sum().item())
