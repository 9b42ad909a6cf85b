"""log of a negative number."""

# cause: nan.*log
# under: nan_guard
import torch

w = torch.tensor([1.0, -1.0], requires_grad=True)
logs = torch.log(w)  # HERE
logs.sum().backward()
