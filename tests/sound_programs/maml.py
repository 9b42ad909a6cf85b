"""One inner step with create_graph, functional weights."""

# ask: torch.explain.missing(net, loss)
import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Linear(2, 1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
weights = dict(net.named_parameters())
inner = nn.functional.mse_loss(functional_call(net, weights, (x,)), y)
grads = torch.autograd.grad(inner, tuple(weights.values()), create_graph=True)
fast = {k: p - 0.1 * g for (k, p), g in zip(weights.items(), grads, strict=True)}
loss = nn.functional.mse_loss(functional_call(net, fast, (x + 1,)), y)
loss.backward()
