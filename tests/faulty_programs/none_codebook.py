"""Vector quantisation without the straight-through trick."""

# cause: argmin
# ask: torch.explain.missing(encoder, loss)
import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
codebook = nn.Parameter(torch.randn(5, 3))
x = torch.randn(8, 6)
z = encoder(x)
distances = (z[:, None] - codebook[None]).square().sum(-1)
codes = distances.argmin(1)  # HERE
out = decoder(codebook[codes])
loss = (out - x).square().mean()
loss.backward()
