"""A negative scale."""

# cause: scale|constraint
import torch
from torch.distributions import Normal


def policy(mean, log_std):
    return Normal(mean, log_std)  # HERE


d = policy(torch.zeros(2), torch.tensor([-1.0, 0.0]))
