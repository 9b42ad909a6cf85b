"""One step with egnn-pytorch, on random weights."""

import torch
from egnn_pytorch import EGNN_Network

torch.manual_seed(0)
model = EGNN_Network(
    num_tokens=5, num_positions=8, dim=8, depth=2, num_nearest_neighbors=3, coor_weights_clamp_value=2.0
)
places = torch.randn(1, 6, 3, requires_grad=True)
features, moved = model(torch.randint(0, 5, (1, 6)), places, mask=torch.ones(1, 6).bool())
(features.sum() + moved.square().sum()).backward()
print(features.sum().item(), moved.sum().item(), places.grad.abs().sum().item())
