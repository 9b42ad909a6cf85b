"""What belongs to no other room: checkpoint, which does calculations again to save memory, and data, which loads it."""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import checkpoint

if _TYPE_CHECKING:
    from . import data

__all__ = ["checkpoint", "data"]


def __getattr__(name: str):
    if name == "data":  # needed by those who load data, and not cheap to import
        return _importlib.import_module(f"{__name__}.data")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
