"""One step with dadaptation, on random weights."""

import dadaptation
import torch

for rule in (dadaptation.DAdaptAdam, dadaptation.DAdaptSGD, dadaptation.DAdaptAdan):
    torch.manual_seed(0)
    model, x = torch.nn.Linear(4, 2), torch.randn(8, 4)
    optimizer = rule(model.parameters(), lr=1.0)
    for _ in range(5):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
