"""Switches for the time of a block."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def switched(module: str, **values: Any) -> Iterator[None]:
    """Sets a module's variables and gives them their values back at the end; None leaves one alone."""
    owner = sys.modules[module]
    before = {name: getattr(owner, name) for name in values}
    for name, value in values.items():
        if value is not None:
            setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
