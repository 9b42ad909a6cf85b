"""Functions of torch for tensors that chainrule has none of: they can be imported, and raise when they are called."""

from __future__ import annotations

from typing import Any

from .refusal import UNQUANTISED, refused


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return refused(name, UNQUANTISED)
