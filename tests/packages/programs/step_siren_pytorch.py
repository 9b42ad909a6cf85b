"""One step with siren-pytorch, on random weights."""

import torch
from siren_pytorch import SirenNet, SirenWrapper

torch.manual_seed(0)
net = SirenNet(dim_in=2, dim_hidden=16, dim_out=3, num_layers=2, final_activation=torch.nn.Sigmoid())
loss = SirenWrapper(net, image_width=8, image_height=8)(torch.rand(1, 3, 8, 8))
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in net.parameters()))
