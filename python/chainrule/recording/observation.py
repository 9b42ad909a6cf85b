"""What runs in a call: the user's functions, and what they do that no recording sees."""

from __future__ import annotations

import dis
import inspect
import os
import random
import sys
import sysconfig
import types
from typing import Any

_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep
_STANDARD = tuple(sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib"))
_PACKAGES = tuple(sysconfig.get_paths()[name] + os.sep for name in ("purelib", "platlib"))

_IS_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_SHOWN = {print: "prints", input: "asks for input", open: "opens a file", next: "takes the next value of an iterator"}


def is_library(path: str) -> bool:
    """Whether a file is chainrule's own, or Python's."""
    if path.startswith((_OWN, "<frozen")):
        return True
    return path.startswith(_STANDARD) and not path.startswith(_PACKAGES)


class Observation:
    """Looks on while a call runs.

    Attributes:
        functions: the user's code that ran, each with the globals that it reads.
        selves: the objects whose methods ran.
        obstacles: what cannot be repeated without Python, each with its line: (why, file, line).
    """

    def __init__(self) -> None:
        self.functions: dict[types.CodeType, dict[str, Any]] = {}
        self.selves: dict[int, Any] = {}
        self.obstacles: list[tuple[str, str, int]] = []

    def __enter__(self) -> Observation:
        self._generators: set[types.FrameType] = set()  # that were begun in this call
        self.obstacles.clear()
        self._random = random.getstate()
        self._numpy = _numpy_state()
        self._former = sys.getprofile()
        sys.setprofile(self._look)
        return self

    def __exit__(self, *exception: Any) -> None:
        sys.setprofile(self._former)
        self._generators.clear()
        if random.getstate() != self._random:
            self._refuse("draws random numbers of Python's", None)
        if _numpy_state() != self._numpy:
            self._refuse("draws random numbers of NumPy's", None)

    def _look(self, frame: types.FrameType, event: str, what: Any) -> None:
        if event == "call":
            self._enter(frame)
        elif event == "c_call":
            path = frame.f_code.co_filename
            if is_library(path):
                return
            word = _SHOWN.get(what) if what.__hash__ is not None else None
            if getattr(what, "__module__", None) == "time":
                word = "reads the clock"
            if word:
                self._refuse(word, frame)

    def _enter(self, frame: types.FrameType) -> None:
        code = frame.f_code
        if is_library(code.co_filename):
            if code.co_filename.endswith("logging" + os.sep + "__init__.py"):
                self._refuse("writes a log", frame)
            return
        if code.co_flags & _IS_GENERATOR and not self._is_of_this_call(frame):
            self._refuse("takes the next value of a generator", frame.f_back)
        if code not in self.functions and _is_imported(frame):
            return
        self.functions[code] = frame.f_globals
        if code.co_argcount and code.co_varnames[0] == "self":
            owner = frame.f_locals["self"]
            self.selves[id(owner)] = owner

    def _is_of_this_call(self, frame: types.FrameType) -> bool:
        """Whether a generator began in this call: it is entered for the first time, or was before."""
        if frame not in self._generators:
            if any(i.opname == "YIELD_VALUE" for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti):
                return False
            self._generators.add(frame)
        return True

    def _refuse(self, why: str, frame: types.FrameType | None) -> None:
        while frame is not None and is_library(frame.f_code.co_filename):
            frame = frame.f_back
        file, line = (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)
        self.obstacles.append((why, file, line))


def _is_imported(frame: types.FrameType | None) -> bool:
    """Whether an import runs it, which a call does once."""
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def _numpy_state() -> Any:
    numpy = sys.modules.get("numpy.random")
    if numpy is None:
        return None
    name, keys, place, *rest = numpy.get_state()
    return name, keys.tobytes(), place, *rest
