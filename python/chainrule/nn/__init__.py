"""Neural networks, as torch.nn: modules, their parameters, layers, losses, and functions for all of them."""

import importlib

from . import functional, init, modules, parameter, utils
from .modules import *
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

_SUBMODULES = ("attention", "common_types", "grad", "parallel")
_QUANTIZATION = ("intrinsic", "qat", "quantizable", "quantized")


def __getattr__(name: str):
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _QUANTIZATION:
        raise AttributeError(f"module 'chainrule.nn' has no attribute '{name}': chainrule has no quantization")
    raise AttributeError(f"module 'chainrule.nn' has no attribute '{name}'")
