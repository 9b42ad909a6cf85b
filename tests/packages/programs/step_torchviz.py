"""One step with torchviz, on random weights."""

import torch
from torchviz import make_dot

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
picture = make_dot(model(torch.ones(2, 4)).square().mean(), params=dict(model.named_parameters()))
print(
    [
        picture.source.count(word)
        for word in ("AddmmBackward0", "ReluBackward0", "PowBackward0", "MeanBackward0", "AccumulateGrad")
    ]
)
