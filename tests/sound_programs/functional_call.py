"""The parameters are given from outside."""

# ask: torch.explain_none(parameters["weight"], loss)
import torch
from torch.func import functional_call

torch.manual_seed(0)
net = torch.nn.Linear(2, 1)
parameters = {name: p.detach().clone().requires_grad_() for name, p in net.named_parameters()}
loss = functional_call(net, parameters, (torch.randn(4, 2),)).square().mean()
loss.backward()
