"""Neural networks, as torch.nn: modules, their parameters, layers, losses, and functions for all of them."""

from ..lazy import load
from .modules import _FILES as _LAYERS  # pyright: ignore[reportAttributeAccessIssue]  (the stub has what is public)

_FILES = {
    **{f"modules.{file}": names for file, names in _LAYERS.items()},
    "parallel": "DataParallel",
    "parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter",
}
_SUBMODULES = ("attention", "common_types", "functional", "grad", "init", "modules", "parallel", "parameter", "utils")
_QUANTIZATION = ("intrinsic", "qat", "quantizable", "quantized")

_find, __dir__, __all__ = load(__name__, _FILES, _SUBMODULES)


def __getattr__(name: str):
    if name in _QUANTIZATION:
        raise AttributeError(f"module 'chainrule.nn' has no attribute '{name}': chainrule has no quantization")
    return _find(name)
