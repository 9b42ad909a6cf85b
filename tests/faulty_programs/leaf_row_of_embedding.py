"""The padding row of an embedding is zeroed where operations are recorded."""

# cause: leaf Variable that requires grad is being used in an in-place operation
from torch import nn

embedding = nn.Embedding(10, 4)
embedding.weight[0].zero_()  # HERE
