"""One step with torchsummary, on random weights."""

import torch
from torchsummary import summary

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
summary(model, (3, 8, 8), device="cpu")
print(model(torch.ones(1, 3, 8, 8)).sum().item())
