"""One step with higher, on random weights."""

import higher
import torch

torch.manual_seed(0)
model, x = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)), torch.randn(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
with higher.innerloop_ctx(model, optimizer, copy_initial_weights=False) as (copy, steps):
    for _ in range(3):
        steps.step((copy(x) - x.sum(1, keepdim=True)).square().mean())
    loss = copy(x).square().mean()
    loss.backward()
print(loss.item(), model[0].weight.grad.abs().sum().item())
