"""The loss comes from a copy of the model."""

# cause: not calculated from it, but from twin\.weight
# ask: torch.explain_none(model.weight, loss)
# look: model.weight.grad
import copy

import torch
from torch import nn

model = nn.Linear(3, 1)  # HERE
twin = copy.deepcopy(model)
loss = twin(torch.ones(2, 3)).sum()
loss.backward()
