"""One step with ptflops, on random weights."""

import torch
from ptflops import get_model_complexity_info

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.GELU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
for backend in ("pytorch", "aten"):
    found = get_model_complexity_info(model, (3, 8, 8), backend=backend, as_strings=False, print_per_layer_stat=False)
    print([float(value) for value in found])
