"""One step with lightly, on random weights."""

import torch
from lightly.loss import BarlowTwinsLoss, DINOLoss, NTXentLoss, VICRegLoss
from lightly.models.modules import SimCLRProjectionHead

torch.manual_seed(0)
head = SimCLRProjectionHead(8, 16, 4)
a, b = head(torch.randn(6, 8)), head(torch.randn(6, 8))
for criterion in (NTXentLoss(), BarlowTwinsLoss(), VICRegLoss()):
    head.zero_grad()
    loss = criterion(a, b)
    loss.backward(retain_graph=True)
    print(loss.item(), head.layers[0].weight.grad.abs().sum().item())
print(DINOLoss(output_dim=4)([a, b], [a.detach(), b.detach()], epoch=0).item())
