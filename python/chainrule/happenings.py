"""Where the program did what is asked about later: set a model's mode, made an optimiser."""

from __future__ import annotations

import os
import sys
import weakref
from types import CodeType
from typing import Any

__all__ = ["happened_at", "remember"]

_OWN = os.path.dirname(__file__) + os.sep
_places: dict[int, tuple[weakref.ref[Any], CodeType, int]] = {}  # by the object's id: it may not be hashable


def remember(thing: Any) -> None:
    """Keeps the user's line that runs, for this object; a later one takes its place."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    key = id(thing)
    _places[key] = weakref.ref(thing, lambda _: _places.pop(key, None)), frame.f_code, frame.f_lasti


def happened_at(thing: Any) -> tuple[CodeType, int] | None:
    """The code and the instruction that were kept for an object; see explain/source.py."""
    known = _places.get(id(thing))
    return known[1:] if known is not None and known[0]() is thing else None
