"""One step with torchmetrics, on random weights."""

import torch
import torchmetrics

torch.manual_seed(0)
accuracy = torchmetrics.classification.MulticlassAccuracy(num_classes=3)
for _ in range(3):
    accuracy.update(torch.randn(8, 3), torch.randint(0, 3, (8,)))
print(accuracy.compute().item())
print(torchmetrics.image.StructuralSimilarityIndexMeasure()(torch.rand(1, 1, 16, 16), torch.rand(1, 1, 16, 16)).item())
