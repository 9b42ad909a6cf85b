"""One step with pytorch-optimizer, on random weights."""

import torch
from pytorch_optimizer import SAM, AdaBelief, Lion, Ranger21, Shampoo

x = torch.ones(8, 4) * torch.arange(8.0)[:, None] / 8
for rule, options in ((AdaBelief, {}), (Lion, {}), (Shampoo, {}), (Ranger21, {"num_iterations": 10})):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2)
    optimizer = rule(model.parameters(), lr=0.01, **options)
    for _ in range(3):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), model.weight.sum().item())
model = torch.nn.Linear(4, 2)
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1)
model(x).square().mean().backward()
optimizer.first_step(zero_grad=True)
model(x).square().mean().backward()
optimizer.second_step(zero_grad=True)
print(model.weight.sum().item())
