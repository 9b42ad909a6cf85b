"""Switches for the time of a block."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def switched(module: str, **values: Any) -> Iterator[None]:
    """Sets a module's variables and gives them their values back at the end; None leaves one alone."""
    variables = vars(sys.modules[module])
    before = {name: variables[name] for name in values}
    variables.update({name: value for name, value in values.items() if value is not None})
    try:
        yield
    finally:
        variables.update(before)
