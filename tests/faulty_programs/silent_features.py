"""A salary beside a fraction."""

# cause: inputs not normalised: the features of x differ in size
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
x = torch.rand(16, 3) * torch.tensor([0.01, 1.0, 90.0])
loss = net(x).square().mean()  # HERE
