"""WGAN-GP."""

# ask: torch.explain.doctor(critic, loss)
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator = nn.Linear(2, 2)
real = torch.randn(8, 2)
fake = generator(torch.randn(8, 2)).detach()
mix = torch.rand(8, 1)
between = (mix * real + (1 - mix) * fake).requires_grad_()
(slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
loss = critic(fake).mean() - critic(real).mean() + 10 * (slope.norm(dim=1) - 1).square().mean()
