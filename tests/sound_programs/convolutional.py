"""A small convolutional network."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
images, labels = torch.rand(8, 1, 8, 8), torch.randint(0, 10, (8,))
loss = nn.CrossEntropyLoss()(net(images), labels)
