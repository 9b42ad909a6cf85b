"""The features are calculated once, before the loop over epochs."""

# cause: backward through the graph a second time
import torch

encoder = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh())
head = torch.nn.Linear(4, 1)
features = encoder(torch.ones(2, 3))  # HERE
for _ in range(3):
    loss = head(features).sum()
    loss.backward()
