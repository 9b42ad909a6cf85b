"""Cross entropy with probabilities as targets."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
targets = torch.softmax(torch.randn(6, 3), -1)
loss = nn.functional.cross_entropy(net(torch.randn(6, 4)), targets)
