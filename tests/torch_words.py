"""What a call raises, as text."""

from __future__ import annotations

from collections.abc import Callable


def raised(f: Callable, error: type[Exception] = RuntimeError) -> str:
    """All of its words."""
    try:
        f()
    except error as e:
        return str(e)
    raise AssertionError("nothing was raised")


def of(f: Callable, error: type[Exception] = RuntimeError) -> str:
    """The first line."""
    return raised(f, error).splitlines()[0]
