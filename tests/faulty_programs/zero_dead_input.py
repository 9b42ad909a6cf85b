"""The layer before it is dead, so a weight is multiplied with zeros."""

# cause: multiplied with .* zero throughout
# ask: torch.explain.missing(second, loss)
# look: second.weight.grad
import torch

second = torch.nn.Linear(4, 1)
hidden = torch.relu(torch.full((2, 4), -1.0))
loss = second(hidden).sum()  # HERE
