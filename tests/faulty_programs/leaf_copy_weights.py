"""Weights are set by hand without no_grad."""

# cause: leaf Variable that requires grad
import torch

layer = torch.nn.Linear(2, 2)
layer.weight.fill_(0.5)  # HERE
