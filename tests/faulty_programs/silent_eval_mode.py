"""The model was left in evaluation mode."""

# cause: evaluation mode
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(), nn.Linear(3, 1))
net.eval()  # HERE
loss = net(torch.ones(4, 3)).square().mean()
