"""Gradients of every sample by vmap; the parameters' own gradient as well."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Linear(2, 1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
params = {k: p.detach() for k, p in net.named_parameters()}


def one(p, a, b):
    return nn.functional.mse_loss(functional_call(net, p, (a,)), b)


each = vmap(grad(one), (None, 0, 0))(params, x, y)
loss = nn.functional.mse_loss(net(x), y)
loss.backward()
