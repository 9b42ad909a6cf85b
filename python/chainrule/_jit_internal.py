"""torch._jit_internal: marks for a compiler, which leave functions as they are."""

from __future__ import annotations

from typing import Any

from .jit import Final, _overload, _overload_method, export, ignore, is_scripting, unused
from .jit.annotations import BroadcastingList1, BroadcastingList2, BroadcastingList3

__all__ = [
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Final",
    "_overload",
    "_overload_method",
    "export",
    "ignore",
    "is_scripting",
    "unused",
]


def _copy_to_script_wrapper(fn: Any) -> Any:
    """Returns the function as it is."""
    return fn
