"""Files of tensors, as torch.serialization: PyTorch's format, read without running what a file contains."""

import os
from collections.abc import Callable
from typing import IO, Any

from .. import _core
from .allowed import _get_layout, add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .loading import get_unsafe_globals_in_checkpoint, load
from .saving import DEFAULT_PROTOCOL, save

# What annotations name.
FILE_LIKE = str | os.PathLike | IO[bytes]
MAP_LOCATION = Callable[[Any, str], Any] | _core.device | str | dict[str, str] | None

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
]
