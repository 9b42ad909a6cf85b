"""A parameter is initialised by hand where operations are recorded."""

# cause: leaf Variable that requires grad is being used in an in-place operation
from torch import nn

layer = nn.Linear(3, 3)
layer.weight.fill_diagonal_(1.0)  # HERE
