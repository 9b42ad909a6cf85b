"""One step with pytorch-crf, on random weights."""

import torch
from torchcrf import CRF

torch.manual_seed(0)
crf, scores = CRF(4, batch_first=True), torch.randn(3, 5, 4, requires_grad=True)
mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]).bool()
loss = -crf(scores, torch.randint(0, 4, (3, 5)), mask=mask, reduction="mean")
loss.backward()
print(loss.item(), scores.grad.abs().sum().item(), crf.decode(scores, mask))
