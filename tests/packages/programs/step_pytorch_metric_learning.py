"""One step with pytorch-metric-learning, on random weights."""

import torch
from pytorch_metric_learning import losses, miners

torch.manual_seed(0)
x, labels = torch.randn(8, 4, requires_grad=True), torch.tensor([0, 0, 1, 1, 2, 2, 3, 3])
loss = losses.TripletMarginLoss()(x, labels, miners.MultiSimilarityMiner()(x, labels))
loss.backward()
print(loss.item(), x.grad.abs().sum().item())
