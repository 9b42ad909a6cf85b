"""A soft overlap with sigmoid."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Conv2d(1, 1, 3, padding=1)
p = torch.sigmoid(net(torch.randn(2, 1, 6, 6)))
target = (torch.rand(2, 1, 6, 6) > 0.5).float()
loss = 1 - 2 * (p * target).sum() / (p.sum() + target.sum() + 1e-6)
