"""One step with efficientnet-pytorch, on random weights."""

import torch
from efficientnet_pytorch import EfficientNet

torch.manual_seed(0)
model = EfficientNet.from_name("efficientnet-b0", num_classes=5).eval()
loss = torch.nn.functional.cross_entropy(model(torch.rand(1, 3, 64, 64)), torch.tensor([2]))
loss.backward()
print(loss.item(), model._fc.weight.grad.abs().sum().item())
