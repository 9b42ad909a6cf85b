"""One step with torcheval, on random weights."""

import torch
from torcheval.metrics import BinaryAUROC, MulticlassAccuracy, MulticlassF1Score, Perplexity
from torcheval.metrics.functional import r2_score

torch.manual_seed(0)
scores, labels = torch.rand(20, 3), torch.randint(0, 3, (20,))
for metric in (MulticlassAccuracy(), MulticlassF1Score(num_classes=3, average="macro")):
    print(metric.update(scores, labels).compute().item())
print(BinaryAUROC().update(scores[:, 0], (labels == 0).float()).compute().item())
print(Perplexity().update(scores[None], labels[None]).compute().item(), r2_score(scores[:, 0], scores[:, 1]).item())
