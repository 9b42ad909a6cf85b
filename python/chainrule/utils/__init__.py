"""What belongs to no other room: checkpoint calculates again to save memory, data loads it, tensorboard shows it."""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import checkpoint

if _TYPE_CHECKING:
    from . import data, dlpack, tensorboard

__all__ = ["checkpoint", "data", "dlpack", "tensorboard"]


def __getattr__(name: str):
    if name in ("data", "dlpack", "tensorboard"):  # needed by those who use them, and not cheap to import
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
