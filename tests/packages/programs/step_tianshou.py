"""One step with tianshou, on random weights."""

import torch
from tianshou.data import Batch
from tianshou.utils.net.common import MLP, Net
from tianshou.utils.net.discrete import IntrinsicCuriosityModule

torch.manual_seed(0)
batch = Batch(x=torch.randn(4, 3), inner=Batch(y=torch.arange(4)))
mlp = MLP(input_dim=3, output_dim=2, hidden_sizes=[8])
loss = mlp(batch.x).square().mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in mlp.parameters()), Batch.stack([batch, batch]).x.shape)
print(Net.__name__, IntrinsicCuriosityModule.__name__)
