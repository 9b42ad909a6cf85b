"""One step with conformer, on random weights."""

import torch
from conformer import Conformer

torch.manual_seed(0)
model = Conformer(dim=16, depth=1, dim_head=8, heads=2, conv_kernel_size=5)
loss = model(torch.randn(2, 10, 16)).square().mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
