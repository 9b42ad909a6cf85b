"""The core's functions by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core


def core(name: str, composed: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The core's function of that name; if there is none, the composed one, or one that says so when it is called."""
    found = _core.functions.get(name) or composed
    if found is not None:
        return found

    def missing(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"chainrule has no {name} yet")

    missing.__name__ = name
    return missing
