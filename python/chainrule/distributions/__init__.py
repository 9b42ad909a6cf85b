"""Probability distributions, as torch.distributions: the ones that reinforcement learning and autoencoders use most."""

from . import constraints, kl
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .exponential import Exponential
from .independent import Independent
from .kl import kl_divergence, register_kl
from .normal import Normal
from .uniform import Uniform

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Normal",
    "Uniform",
    "kl_divergence",
    "register_kl",
]
