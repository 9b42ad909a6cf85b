"""One step with torchrl, on random weights."""

import logging

import torch
from tensordict import TensorDict
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.modules import MLP

logging.getLogger("torchrl").setLevel(logging.ERROR)
torch.manual_seed(0)
buffer = ReplayBuffer(storage=LazyTensorStorage(10), batch_size=10)
buffer.extend(TensorDict({"x": torch.ones(10, 1)}, [10]))
model = MLP(in_features=1, out_features=1, num_cells=[8])
loss = model(buffer.sample()["x"]).square().mean()
loss.backward()
print(loss.item())
