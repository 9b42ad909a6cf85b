"""One step with pypose, on random weights."""

import pypose
import torch

torch.manual_seed(0)
x = pypose.randn_SO3(3)
offset = pypose.so3(torch.zeros(3, 3)).requires_grad_()
points = (offset.Exp() * x).Act(torch.ones(3, 3))
points.square().sum(0)[0].backward()
print(points.tolist(), offset.grad.abs().sum().item())
print(pypose.randn_SE3(2).Log().tensor().sum().item(), (x @ x.Inv()).Log().tensor().abs().max().item() < 1e-5)
