"""Neural networks: so far parameters, and the activations in nn.functional."""

from . import functional, parameter
from .parameter import Parameter

__all__ = ["Parameter", "functional", "parameter"]
