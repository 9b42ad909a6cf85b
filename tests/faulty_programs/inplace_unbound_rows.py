"""A row that unbind gave is written into."""

# cause: view and is being modified inplace
import torch

x = torch.ones(2, 3, requires_grad=True)
first, second = (x * 2).unbind(0)
first += second  # HERE
first.sum().backward()
