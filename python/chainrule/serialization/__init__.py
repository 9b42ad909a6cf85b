"""Files of tensors, as torch.serialization: PyTorch's format, read without running what a file contains."""

import os
from collections.abc import Callable
from typing import IO, Any

from .. import _core
from .allowed import _get_layout, add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .loading import get_unsafe_globals_in_checkpoint, load
from .locations import default_restore_location, location_tag, register_package, validate_cuda_device
from .options import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from .saving import DEFAULT_PROTOCOL, save

# What annotations name.
FILE_LIKE = str | os.PathLike | IO[bytes]
MAP_LOCATION = Callable[[Any, str], Any] | _core.device | str | dict[str, str] | None


class SourceChangeWarning(Warning):
    """The category of PyTorch's warnings that a module's source has changed since it was saved."""


__all__ = [
    "LoadEndianness",
    "SourceChangeWarning",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "validate_cuda_device",
]
