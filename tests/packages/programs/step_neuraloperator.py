"""One step with neuraloperator, on random weights."""

import torch
from neuralop.losses import H1Loss
from neuralop.models import FNO

torch.manual_seed(0)
model = FNO(n_modes=(4, 4), in_channels=1, out_channels=1, hidden_channels=8, n_layers=2)
loss = H1Loss(d=2)(model(torch.randn(2, 1, 16, 16)), torch.randn(2, 1, 16, 16))
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
