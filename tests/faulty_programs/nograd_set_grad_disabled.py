"""set_grad_enabled(False) was left on after an evaluation."""

# cause: does not require grad.*under set_grad_enabled\(False\)
import torch
from torch import nn

net = nn.Linear(3, 1)
torch.set_grad_enabled(False)  # HERE
try:
    loss = net(torch.ones(2, 3)).sum()
    loss.backward()
finally:
    torch.set_grad_enabled(True)
