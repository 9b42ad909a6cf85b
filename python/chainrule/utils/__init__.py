"""What belongs to no other room: checkpoint calculates again, data loads, tensorboard shows, benchmark times."""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import checkpoint, hooks

if _TYPE_CHECKING:
    from . import benchmark, collect_env, data, deterministic, dlpack, serialization, tensorboard, weak
    from .swapping import swap_tensors

__all__ = ["benchmark", "checkpoint", "data", "dlpack", "hooks", "tensorboard"]
__all__ += ["collect_env", "deterministic", "serialization", "swap_tensors", "weak"]

# Needed by those who use them, and not cheap to import.
_LAZY = (
    *(
        "_contextlib",
        "_foreach_utils",
        "_python_dispatch",
        "_pytree",
        "benchmark",
        "collect_env",
        "data",
        "deterministic",
        "dlpack",
        "serialization",
        "tensorboard",
    ),
    "weak",
)


def __getattr__(name: str):
    if name in _LAZY:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "swap_tensors":
        return _importlib.import_module(f"{__name__}.swapping").swap_tensors
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
