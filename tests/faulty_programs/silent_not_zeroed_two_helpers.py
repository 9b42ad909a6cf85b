"""backward and step in different helpers."""

# cause: not zeroed
# ask: torch.explain.doctor(model, loss, opt)
import torch
from torch import nn


def compute(model, x):
    return model(x).square().mean()


def back(value):
    value.backward()  # HERE


def run_epoch(model, opt, data):
    for x in data:
        back(compute(model, x))
        opt.step()


torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(3, 4, 3)
run_epoch(model, opt, data)
loss = compute(model, data[0])
