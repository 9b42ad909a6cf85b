"""One step with torch-pruning, on random weights."""

import torch
import torch_pruning
from torchvision.models import resnet18

torch.manual_seed(0)
model, x = resnet18(weights=None, num_classes=5).eval(), torch.rand(1, 3, 64, 64)
pruner = torch_pruning.pruner.MagnitudePruner(
    model, x, importance=torch_pruning.importance.MagnitudeImportance(p=2), pruning_ratio=0.5, ignored_layers=[model.fc]
)
pruner.step()
print(sum(p.numel() for p in model.parameters()), model(x).sum().item())
