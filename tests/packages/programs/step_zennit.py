"""One step with zennit, on random weights."""

import torch
from zennit.attribution import Gradient, IntegratedGradients
from zennit.composites import EpsilonPlus

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
x = torch.rand(1, 3, 8, 8)
with Gradient(model=model, composite=EpsilonPlus()) as explain:
    output, relevance = explain(x, torch.eye(2)[[1]])
print(output.sum().item(), relevance.sum().item(), relevance.abs().sum().item())
with IntegratedGradients(model=model, n_iter=4) as explain:
    print(explain(x, torch.eye(2)[[0]])[1].sum().item())
