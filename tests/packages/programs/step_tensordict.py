"""One step with tensordict, on random weights."""

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential

torch.manual_seed(0)
data = TensorDict({"x": torch.randn(4, 3)}, batch_size=[4])
first = TensorDictModule(torch.nn.Linear(3, 5), in_keys=["x"], out_keys=["h"])
model = TensorDictSequential(first, TensorDictModule(torch.nn.Linear(5, 1), in_keys=["h"], out_keys=["y"]))
model(data)["y"].sum().backward()
print(data["y"].sum().item(), first.module.weight.grad.sum().item(), torch.stack([data, data]).shape[0])
