"""All in one line."""

# cause: argmax
import torch

w = torch.ones(3, requires_grad=True)
y = w.argmax()  # HERE
loss = y.float()
y.float().backward()
