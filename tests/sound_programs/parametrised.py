"""weight_norm and spectral_norm."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

torch.manual_seed(0)
net = nn.Sequential(weight_norm(nn.Linear(3, 4)), nn.Tanh(), spectral_norm(nn.Linear(4, 2)))
loss = net(torch.randn(5, 3)).square().mean()
loss.backward()
