"""The reparameterisation of a variational autoencoder."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.ModuleDict({"encode": torch.nn.Linear(6, 4), "decode": torch.nn.Linear(2, 6)})
x = torch.rand(5, 6)
mean, log_variance = net["encode"](x).chunk(2, 1)
z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
rebuilt = torch.sigmoid(net["decode"](z))
kl = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1).mean()
loss = torch.nn.functional.binary_cross_entropy(rebuilt, x) + kl
loss.backward()
