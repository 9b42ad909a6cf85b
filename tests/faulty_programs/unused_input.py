"""autograd.grad is asked for a tensor that the loss does not use."""

# cause: appears to not have been used in the graph
import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
loss = w.square().sum()
grads = torch.autograd.grad(loss, [w, v])  # HERE
