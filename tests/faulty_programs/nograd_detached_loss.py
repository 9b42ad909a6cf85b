"""The loss was detached."""

# cause: does not require grad
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square().sum().detach()  # HERE
loss.backward()
