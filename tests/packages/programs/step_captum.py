"""One step with captum, on random weights."""

import torch
from captum.attr import DeepLift, IntegratedGradients

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
x = torch.randn(2, 3)
for method in (IntegratedGradients(model), DeepLift(model)):
    print(method.attribute(x, target=1).abs().sum().item())
