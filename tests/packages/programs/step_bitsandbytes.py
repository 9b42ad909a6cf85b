"""One step with bitsandbytes, on random weights."""

import bitsandbytes
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(8, 4)
print(bitsandbytes.nn.Embedding(4, 3)(torch.tensor([1])).sum().item(), layer(torch.ones(1, 8)).sum().item())
