"""autograd.grad() frees the graph that backward() needs."""

# cause: backward through the graph a second time
import torch

x = torch.ones(3, requires_grad=True)
loss = (x.exp() * x).sum()  # HERE
(slope,) = torch.autograd.grad(loss, x)
loss.backward()
