"""The mean of nothing."""

# cause: nan.*mean
# under: nan_guard
import torch

x = torch.ones(3, requires_grad=True)
chosen = x[x > 5]
loss = chosen.mean()  # HERE
loss.backward()
