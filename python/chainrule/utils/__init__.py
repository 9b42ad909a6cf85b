"""What belongs to no other room: checkpoint calculates again, data loads, tensorboard shows, benchmark times."""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import checkpoint, hooks

if _TYPE_CHECKING:
    from . import benchmark, data, dlpack, tensorboard

__all__ = ["benchmark", "checkpoint", "data", "dlpack", "hooks", "tensorboard"]


def __getattr__(name: str):
    if name in ("benchmark", "data", "dlpack", "tensorboard"):  # needed by those who use them, and not cheap to import
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
