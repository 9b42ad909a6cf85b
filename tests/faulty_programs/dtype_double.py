"""NumPy's doubles go into a network of floats."""

# cause: same dtype
import torch

net = torch.nn.Linear(3, 1)
data = torch.ones(2, 3, dtype=torch.float64)
net(data)  # HERE
