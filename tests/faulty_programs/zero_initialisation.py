"""Both layers begin at zero: nothing reaches the first."""

# cause: multiplied with in second\(hidden\) is zero
# ask: torch.explain_none(first.weight, loss)
# look: first.weight.grad
import torch
from torch import nn

first, second = nn.Linear(3, 4), nn.Linear(4, 1)
nn.init.zeros_(second.weight)
hidden = torch.tanh(first(torch.ones(2, 3)))
out = second(hidden)  # HERE
loss = (out - 1).square().mean()
loss.backward()
