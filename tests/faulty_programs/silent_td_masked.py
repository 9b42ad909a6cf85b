"""TD(0) by hand; gamma is a tensor; the mask is in front."""

# cause: target not detached
# ask: torch.explain.doctor(critic, loss)
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
gamma = 0.9
s, s2 = torch.randn(5, 3), torch.randn(5, 3)
reward, alive = torch.randn(5, 1), torch.ones(5, 1)
target = reward + alive * gamma * critic(s2)  # HERE
td = target - critic(s)
loss = (td**2).mean()
