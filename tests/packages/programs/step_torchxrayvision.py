"""One step with torchxrayvision, on random weights."""

import torch
import torchxrayvision

torch.manual_seed(0)
model = torchxrayvision.models.DenseNet(num_classes=4, growth_rate=8, block_config=(2, 2), num_init_features=8)
loss = model(torch.randn(2, 1, 64, 64)).square().sum()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None) / 1e3)
