"""BCE with smoothed labels."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
y = torch.tensor([0.05, 0.95, 0.95, 0.05])[:, None]
loss = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))(net(torch.randn(4, 4)), y)
