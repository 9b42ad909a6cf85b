"""The core's functions by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core


def core(name: str) -> Callable[..., Any]:
    """The core's function of that name."""
    return _core.functions[name]
