"""One step with schedulefree, on random weights."""

import schedulefree
import torch

for rule in (schedulefree.AdamWScheduleFree, schedulefree.SGDScheduleFree, schedulefree.RAdamScheduleFree):
    torch.manual_seed(0)
    model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
    optimizer = rule(model.parameters(), lr=0.05)
    optimizer.train()
    for _ in range(4):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    optimizer.eval()
    print(model(x).square().mean().item())
