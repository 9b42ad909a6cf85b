"""The keys are not transposed."""

# cause: Expected size for first two dimensions
import torch

queries, keys = torch.ones(2, 5, 8), torch.ones(2, 5, 8)
scores = queries @ keys  # HERE
