"""The variance of a VAE is exp of an unbounded number."""

# cause: inf made by exp|nan.*ExpBackward
# under: nan_guard
import torch

log_variance = torch.tensor([1.0, 120.0], requires_grad=True)
kl = -0.5 * (1 + log_variance - torch.exp(log_variance)).sum()  # HERE
kl.backward()
