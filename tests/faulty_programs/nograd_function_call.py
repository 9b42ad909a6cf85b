"""backward() on the result of a function that detaches."""

# cause: detach
import torch
from torch import nn


def objective(model, x):
    y = model(x)
    y = y.detach()  # HERE
    return (y - 1).pow(2).mean()


torch.manual_seed(0)
objective(nn.Linear(2, 1), torch.randn(3, 2)).backward()
