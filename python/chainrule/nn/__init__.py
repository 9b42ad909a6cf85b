"""Neural networks: so far the activations, in nn.functional."""

from . import functional

__all__ = ["functional"]
