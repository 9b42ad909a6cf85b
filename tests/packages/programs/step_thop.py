"""One step with thop, on random weights."""

import torch
from thop import profile

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.Linear(144, 2)
)
operations, parameters = profile(model, inputs=(torch.ones(1, 3, 8, 8),), verbose=False)
print(float(operations), float(parameters), model(torch.ones(2, 3, 8, 8)).sum().item())
