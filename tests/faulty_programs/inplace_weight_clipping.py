"""Weights are clipped between the forward and the backward pass, as in a Wasserstein GAN."""

# cause: modified by an inplace operation
import torch
from torch import nn

critic = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
loss = critic(torch.ones(2, 3)).mean()
with torch.no_grad():
    for parameter in critic.parameters():
        parameter.clamp_(-0.01, 0.01)  # HERE
loss.backward()
