"""Pixels up to 255 go into the network."""

# cause: inputs not normalised: images has numbers of size
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
images = torch.randint(0, 256, (8, 3, 8, 8)).float()
loss = torch.nn.functional.cross_entropy(net(images), torch.arange(8) % 2)  # HERE
