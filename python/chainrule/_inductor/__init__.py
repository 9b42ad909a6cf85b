"""The settings of PyTorch's code generator that scripts change; chainrule does not compile, so they change nothing."""

from . import config as config
