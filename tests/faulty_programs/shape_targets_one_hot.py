"""cross_entropy gets integer targets with a wrong batch."""

# cause: batch.size|batch
import torch

logits = torch.ones(4, 3, requires_grad=True)
target = torch.zeros(5, dtype=torch.int64)
torch.nn.functional.cross_entropy(logits, target)  # HERE
