"""softmax before the loss that takes scores."""

# cause: takes scores
# ask: torch.explain.doctor(net, loss)
import torch

net = torch.nn.Linear(4, 3)
probabilities = net(torch.ones(2, 4)).softmax(1)  # HERE
loss = torch.nn.functional.cross_entropy(probabilities, torch.tensor([0, 1]))
