"""One step with nystrom-attention, on random weights."""

import torch
from nystrom_attention import Nystromformer

torch.manual_seed(0)
model = Nystromformer(dim=16, dim_head=8, heads=2, depth=1, num_landmarks=4, pinv_iterations=4)
loss = model(torch.randn(1, 20, 16), mask=torch.ones(1, 20).bool()).square().mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters()))
