"""One step with bayesian-torch, on random weights."""

import torch
from bayesian_torch.layers import LinearReparameterization
from bayesian_torch.models.dnn_to_bnn import dnn_to_bnn, get_kl_loss

torch.manual_seed(0)
layer = LinearReparameterization(4, 2)
y, divergence = layer(torch.randn(8, 4))
(y.square().sum() + divergence).backward()
print(divergence.item(), layer.mu_weight.grad.abs().sum().item())
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
options = {"prior_mu": 0.0, "prior_sigma": 1.0, "posterior_mu_init": 0.0, "posterior_rho_init": -3.0}
dnn_to_bnn(model, {**options, "type": "Reparameterization", "moped_enable": False, "moped_delta": 0.5})
print(model(torch.ones(2, 4)).sum().item(), get_kl_loss(model).item())
