"""The reward is multiplied by the sample, not by its log-probability."""

# cause: sample
# ask: torch.explain.missing(policy, loss)
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 2)
baseline = nn.Parameter(torch.zeros(()))
state = torch.randn(5, 4)
action = Categorical(logits=policy(state)).sample()  # HERE
loss = -((action.float() - baseline) * torch.ones(5)).mean()
loss.backward()
