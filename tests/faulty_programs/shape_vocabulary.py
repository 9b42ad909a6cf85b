"""A token is beyond the table of embeddings."""

# cause: index out of range
import torch

embed = torch.nn.Embedding(10, 4)
tokens = torch.tensor([[1, 5, 11]])
embed(tokens)  # HERE
