"""The generator's loss goes through what the discriminator's backward pass freed."""

# cause: backward through the graph a second time
import torch
from torch import nn

generator, discriminator = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
fake = torch.tanh(generator(torch.randn(4, 2)))  # HERE
loss_d = discriminator(fake).mean()
loss_d.backward()
loss_g = -discriminator(fake).log().mean()
loss_g.backward()
