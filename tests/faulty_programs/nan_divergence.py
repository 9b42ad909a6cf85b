"""KL divergence by hand where one distribution is zero."""

# cause: inf made by div|nan.*DivBackward
# under: nan_guard
import torch

p = torch.tensor([0.5, 0.5])
q = torch.tensor([1.0, 0.0], requires_grad=True)
loss = (p * torch.log(p / q)).sum()  # HERE
loss.backward()
