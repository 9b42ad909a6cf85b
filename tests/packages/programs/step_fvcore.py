"""One step with fvcore, on random weights."""

import torch
from fvcore.nn import giou_loss, sigmoid_focal_loss, smooth_l1_loss

torch.manual_seed(0)
x, y = torch.randn(6, 3, requires_grad=True), (torch.rand(6, 3) > 0.5).float()
loss = sigmoid_focal_loss(x, y, alpha=0.25, reduction="mean") + smooth_l1_loss(x, y, beta=0.5, reduction="mean")
boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0]], requires_grad=True)
loss = loss + giou_loss(boxes, torch.tensor([[1.0, 0.5, 3.0, 2.5]]), reduction="sum")
loss.backward()
print(loss.item(), x.grad.abs().sum().item(), boxes.grad.tolist())
