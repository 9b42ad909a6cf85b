"""One step with botorch, on random weights."""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.models import SingleTaskGP

torch.manual_seed(0)
x = torch.rand(6, 2, dtype=torch.float64)
model = SingleTaskGP(x, (x.sum(1, keepdim=True) * 3).sin())
point = torch.full((1, 2), 0.5, dtype=torch.float64, requires_grad=True)
value = LogExpectedImprovement(model, best_f=0.5)(point)
value.sum().backward()
print(value.item(), point.grad.abs().sum().item())
