"""A moment of a running program, kept by a copy of the process until somebody asks what was to be seen there.

Explaining takes time, and which backward() is the last is known only at the end, when its numbers are overwritten. So
each one is kept by a fork, which shares the memory and sleeps; the next one ends it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["Moment", "can_be_kept"]

_GO, _END = b"g", b"e"


def can_be_kept() -> bool:
    """Whether this system can copy a process."""
    return hasattr(os, "fork")


class Moment:
    """The state of the process at the time when this was made."""

    def __init__(self, task: Callable[[], Any]):
        self._asked, self._ask = os.pipe()
        self._answer, self._answered = os.pipe()
        parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer Pythons warn if there are threads; the copy uses none of them
            self._copy = os.fork()
        if self._copy == 0:
            _sleep(task, parent, self._asked, self._answered)
        os.close(self._asked)
        os.close(self._answered)

    def ask(self) -> Any:
        """What the task gives there, as JSON can say it; None if it fails."""
        self._say(_GO)
        with open(self._answer, "rb") as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def drop(self) -> None:
        """Nobody will ask. The copy ends by itself; `wait` sees to it."""
        self._say(_END)

    def wait(self) -> None:
        """Until the copy has ended."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._copy, 0)

    def _say(self, word: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._ask, word)
        os.close(self._ask)
        if word == _END:
            os.close(self._answer)


def _sleep(task: Callable[[], Any], parent: int, asked: int, answered: int) -> None:
    """What the copy does; it does not return, nor flush what the program has printed."""
    try:
        while os.getppid() == parent:
            ready, _, _ = select.select([asked], [], [], 2.0)
            if ready:
                if os.read(asked, 1) == _GO:
                    with open(answered, "wb", closefd=False) as answer:
                        answer.write(json.dumps(task()).encode())
                break
    finally:
        os._exit(0)
