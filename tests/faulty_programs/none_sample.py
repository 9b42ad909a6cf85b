"""A sample of a distribution has no gradient; rsample has."""

# cause: sample
# ask: torch.explain_none(mean, loss)
# look: mean.grad
import torch

mean = torch.zeros(3, requires_grad=True)
offset = torch.zeros(3, requires_grad=True)
action = torch.distributions.Normal(mean, torch.ones(3)).sample()  # HERE
loss = (action + offset).square().sum()
loss.backward()
