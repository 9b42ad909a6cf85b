"""Gradients are switched off for validation and never switched on again."""

# cause: no_grad|set_grad_enabled
# ask: torch.explain_none(loss)
# look: loss
import torch

net = torch.nn.Linear(2, 1)
x = torch.ones(3, 2)
torch.set_grad_enabled(False)  # HERE
validation = net(x).mean()
loss = net(x).sum()
torch.set_grad_enabled(True)
