"""One step with curvlinops-for-pytorch, on random weights."""

import torch
from curvlinops import GGNLinearOperator, HessianLinearOperator

torch.manual_seed(0)
model, x = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)), torch.randn(6, 3)
data = [(x, (x.sum(1) > 0).long())]
parameters = list(model.parameters())
for kind in (HessianLinearOperator, GGNLinearOperator):
    operator = kind(model, torch.nn.CrossEntropyLoss(), parameters, data)
    print(float((operator @ torch.ones(operator.shape[1])).sum()))
