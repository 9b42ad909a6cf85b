"""One step with torchinfo, on random weights."""

import torch
from torchinfo import summary

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.LazyLinear(2)
)
found = summary(model, input_size=(2, 3, 8, 8), verbose=0)
print(found.total_params, found.trainable_params, found.total_mult_adds, str(found).count("\n"))
