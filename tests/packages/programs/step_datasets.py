"""One step with datasets, on random weights."""

import numpy
import torch
from datasets import Dataset

torch.manual_seed(0)
rows = numpy.random.default_rng(0).random((8, 4), "float32")
data = Dataset.from_dict({"x": rows, "y": [0, 1] * 4}).with_format("torch")
model = torch.nn.Linear(4, 2)
for batch in torch.utils.data.DataLoader(data, batch_size=4):
    loss = torch.nn.functional.cross_entropy(model(batch["x"]), batch["y"])
    loss.backward()
    print(loss.item(), model.weight.grad.abs().sum().item())
