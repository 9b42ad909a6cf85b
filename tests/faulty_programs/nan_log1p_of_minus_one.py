"""The log-probability of a tanh-squashed action at the edge."""

# cause: (inf|nan).*\blog
# under: nan_guard
import torch

u = torch.tensor([20.0], requires_grad=True)
action = torch.tanh(u)
correction = torch.log(1 - action**2)  # HERE
correction.sum().backward()
