"""Files of tensors, as torch.serialization: PyTorch's format, read without running what a file contains."""

from .allowed import _get_layout, add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .loading import get_unsafe_globals_in_checkpoint, load
from .saving import DEFAULT_PROTOCOL, save

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
]
