"""MSELoss of (N, 1) and (N,)."""

# cause: broadcast|target size
# ask: torch.explain.doctor(net, loss)
# look: loss
import torch

net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
criterion = torch.nn.MSELoss()
target = torch.ones(16)
prediction = net(torch.rand(16, 3))
loss = criterion(prediction, target)  # HERE
