"""One step with calflops, on random weights."""

import torch
from calflops import calculate_flops

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
print(calculate_flops(model, input_shape=(1, 3, 8, 8), print_results=False, print_detailed=False))
