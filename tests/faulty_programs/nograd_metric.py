"""The accuracy is used as the loss, through a helper."""

# cause: argmax
# ask: torch.explain_none(loss)
import torch
from torch import nn


def accuracy(scores, labels):
    predicted = scores.argmax(dim=1)  # HERE
    return (predicted == labels).float().mean()


torch.manual_seed(0)
net = nn.Linear(3, 4)
loss = 1 - accuracy(net(torch.randn(5, 3)), torch.tensor([0, 1, 2, 3, 0]))
