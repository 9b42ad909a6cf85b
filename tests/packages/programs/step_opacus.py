"""One step with opacus, on random weights."""

import torch
from opacus.grad_sample import GradSampleModule

torch.manual_seed(0)
model = GradSampleModule(torch.nn.Linear(3, 2))
model(torch.randn(4, 3)).square().mean().backward()
print(model._module.weight.grad_sample.norm().item())
