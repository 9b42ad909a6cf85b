"""The teacher is frozen on purpose, the student is cut off by no_grad in the helper."""

# cause: no_grad
# ask: torch.explain.missing(student, loss)
import copy

import torch
from torch import nn


def outputs(model, x, train):
    if train:
        return model(x)
    with torch.no_grad():
        return model(x)  # HERE


torch.manual_seed(0)
student = nn.Linear(3, 2)
teacher = copy.deepcopy(student).requires_grad_(False)
shift = nn.Parameter(torch.zeros(2))
x = torch.randn(4, 3)
target = outputs(teacher, x, False)
guess = outputs(student, x, False) + shift
loss = (guess - target - 1).square().mean()
loss.backward()
