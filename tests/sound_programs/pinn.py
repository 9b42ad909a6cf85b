"""A physics loss with derivatives of the network by its input."""

# ask: torch.explain.doctor(net, loss)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
t = torch.linspace(0, 1, 12)[:, None].requires_grad_()
u = net(t)
du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
ddu = torch.autograd.grad(du, t, torch.ones_like(u), create_graph=True)[0]
loss = (ddu + u).square().mean() + (u[0] - 1).square().mean() + du[0].square().mean()
