"""Pixels are divided by 255."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
images = torch.randint(0, 256, (8, 8, 8), dtype=torch.uint8)
loss = torch.nn.functional.cross_entropy(net(images.float() / 255), torch.randint(0, 10, (8,)))
