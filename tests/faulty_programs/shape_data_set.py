"""Tensors of different lengths."""

# cause: [Ss]ize mismatch
import torch
from torch.utils.data import TensorDataset

data = TensorDataset(torch.ones(4, 2), torch.ones(3))  # HERE
