"""set_grad_enabled(is_training) around training code."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn


def run(net, x, y, training):
    with torch.set_grad_enabled(training):
        return nn.functional.mse_loss(net(x), y)


torch.manual_seed(0)
net = nn.Linear(3, 1)
x, y = torch.randn(4, 3), torch.randn(4, 1)
before = run(net, x, y, False)
loss = run(net, x, y, True)
loss.backward()
