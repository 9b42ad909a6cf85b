"""One step with backpack-for-pytorch, on random weights."""

import torch
from backpack import backpack, extend
from backpack.extensions import BatchGrad, DiagGGNExact, Variance

torch.manual_seed(0)
model = extend(torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Sigmoid(), torch.nn.Linear(5, 3)))
loss = extend(torch.nn.CrossEntropyLoss())(model(torch.randn(6, 4)), torch.tensor([0, 1, 2, 0, 1, 2]))
with backpack(BatchGrad(), Variance(), DiagGGNExact()):
    loss.backward()
weight = model[0].weight
print(
    loss.item(), weight.grad_batch.abs().sum().item(), weight.variance.sum().item(), weight.diag_ggn_exact.sum().item()
)
