"""One step with fastai, on random weights."""

import fastai.callback.schedule  # noqa: F401  (brings fit_one_cycle)
import torch
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from fastai.metrics import accuracy
from fastai.torch_core import set_seed

set_seed(0)
x = torch.randn(64, 8)
data = [(a, b) for a, b in zip(x, (x.sum(1) > 0).long(), strict=True)]
loaders = DataLoaders(DataLoader(data, bs=16), DataLoader(data, bs=16))
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
learner = Learner(loaders, model, loss_func=torch.nn.CrossEntropyLoss(), metrics=accuracy)
with learner.no_bar(), learner.no_logging():
    learner.fit_one_cycle(2, 1e-2)
print([float(value) for value in learner.validate()])
