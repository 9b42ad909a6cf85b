"""Losses of several heads are stacked and not summed."""

# cause: grad can be implicitly created only for scalar outputs
import torch
from torch import nn

heads = [nn.Linear(3, 1) for _ in range(3)]
losses = torch.stack([head(torch.ones(2, 3)).square().mean() for head in heads])
losses.backward()  # HERE
