"""Sequences of unequal length are stacked."""

# cause: stack expects each tensor to be equal size
import torch

sequences = [torch.ones(3), torch.ones(5)]
batch = torch.stack(sequences)  # HERE
