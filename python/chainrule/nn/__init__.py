"""Neural networks, as torch.nn: modules, their parameters, layers, losses, and functions for all of them."""

from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
