"""Who sees every call of an operation before it runs: recordings, profilers, modes. The core knows one watcher; here
they stand upon each other. The last that came is asked first, and what it calls goes to the one below."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import _core

__all__ = ["Watcher", "unwatch", "watch"]

Watcher = Callable[[Callable, tuple, dict], Any]  # gets a function and its arguments; runs it and gives the result

_watchers: list[Watcher] = []


class _Level(threading.local):
    """How many watchers are still to be asked, while a call goes down through them; -1 outside of calls."""

    left = -1


_level = _Level()


def _call(function: Callable, args: tuple, kwargs: dict) -> Any:
    before = _level.left
    left = _level.left = (len(_watchers) if before < 0 else before) - 1
    try:
        _core.let_watch(left > 0)
        return _watchers[left](function, args, kwargs)
    finally:
        _level.left = before


def _tell_the_core() -> None:
    _core.set_watcher(None if not _watchers else _watchers[0] if len(_watchers) == 1 else _call)


def watch(watcher: Watcher) -> None:
    """From now on the watcher is asked first."""
    _watchers.append(watcher)
    _tell_the_core()


def unwatch(watcher: Watcher) -> None:
    """The watcher is asked no more; it need not be the last."""
    if watcher in _watchers:
        _watchers.remove(watcher)
        _tell_the_core()
