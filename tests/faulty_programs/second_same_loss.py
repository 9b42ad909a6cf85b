"""backward() twice on one loss."""

# cause: backward through the graph a second time
import torch

w = torch.ones(3, requires_grad=True)
loss = w.square().sum()  # HERE
loss.backward()
loss.backward()
