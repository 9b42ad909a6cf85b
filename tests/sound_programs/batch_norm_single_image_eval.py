"""One image in evaluation mode, for gradients with respect to the image."""

# ask: torch.explain_none(image, score)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)).eval()
image = torch.rand(1, 1, 8, 8, requires_grad=True)
score = net(image)[0, 1]
score.backward()
