"""What the user calls his tensors: variables of the running functions, items of lists, attributes, parameters."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any

from .._core import Tensor

__all__ = ["Names"]

_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep
_MOST_ITEMS = 1000  # of a list or dict that are looked at
_PLAIN = {int, float, bool, str, bytes, type(None), type, FunctionType, BuiltinFunctionType, ModuleType}


_left: ContextVar[tuple[FrameType, ...]] = ContextVar("functions that an exception has left", default=())


def user_frames() -> Iterator[FrameType]:
    """The running functions that are not chainrule's own, the innermost first; before them those of seen_from()."""
    yield from _left.get()
    frame = sys._getframe(1)
    while frame is not None:
        if not is_own(frame) and frame not in _left.get():
            yield frame
        frame = frame.f_back


@contextlib.contextmanager
def seen_from(trace: TracebackType | None) -> Iterator[None]:
    """Within it, the functions that an exception has left count as running."""
    frames = []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    before = _left.set(tuple(f for f in reversed(frames) if not is_own(f)))
    try:
        yield
    finally:
        _left.reset(before)


def is_own(frame: FrameType) -> bool:
    """Whether a function is chainrule's."""
    return is_own_file(frame.f_code.co_filename)


def is_own_file(file: str) -> bool:
    """Whether it is one of chainrule's files."""
    return file.startswith(_OWN)


def variables(frame: FrameType) -> dict[str, Any]:
    """A running function's variables.

    Up to Python 3.12 a frame keeps the dict that it shows them in, and with it everything they held at that moment;
    it is emptied again unless somebody else has it.
    """
    shown = frame.f_locals
    found = dict(shown)
    keeps = sys.version_info < (3, 13) and frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.gettrace() is None
    if keeps and sys.getrefcount(shown) == 3:  # the frame's, ours, and the argument's
        shown.clear()
    return found


class Names:
    """Names of tensors and modules, as seen from the line that asks."""

    def __init__(self, frames: Iterable[FrameType] | None = None) -> None:
        self.of_tensors: dict[int, str] = {}
        self.of_outputs: dict[tuple[int, int], str] = {}  # by node and output number
        self.of_modules: dict[int, str] = {}
        self.modules: dict[str, Any] = {}  # by path
        self.tensors: list[tuple[str, Tensor]] = []
        self.held: list[Any] = []  # ids stay true while these live
        scopes: list[dict[str, Any]] = []
        for frame in user_frames() if frames is None else frames:
            if frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a module's variables are its globals
                scopes.append(variables(frame))
            scopes.append(frame.f_globals)
        for scope in {id(s): s for s in scopes}.values():
            for name, value in list(scope.items()):
                if type(value) not in _PLAIN and not name.startswith("__"):
                    self._add(name, value, depth=0)
        self.held = scopes

    def of(self, tensor: Tensor) -> str | None:
        """The tensor's name, or that of another tensor that is the same value in the graph."""
        node = tensor.grad_fn
        known = self.of_tensors.get(id(tensor))
        return known or (self.of_outputs.get((id(node), tensor.output_nr)) if node is not None else None)

    def _add(self, name: str, value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            self._add_tensor(name, value)
        elif isinstance(value, list | tuple) and depth < 2:
            for i, item in enumerate(value[:_MOST_ITEMS]):
                self._add(f"{name}[{i}]", item, depth + 1)
        elif isinstance(value, dict) and depth < 2:
            for key, item in list(value.items())[:_MOST_ITEMS]:
                self._add(f"{name}[{key!r}]", item, depth + 1)
        elif is_module(value):
            self._add_module(name, value)
        elif depth < 1 and _has_attributes(value):
            for key, item in list(vars(value).items())[:_MOST_ITEMS]:
                if not key.startswith("_") and (isinstance(item, Tensor | list | tuple | dict) or is_module(item)):
                    self._add(f"{name}.{key}", item, depth + 1)

    def _add_tensor(self, name: str, tensor: Tensor) -> None:
        if id(tensor) in self.of_tensors:
            return
        self.of_tensors[id(tensor)] = name
        self.tensors.append((name, tensor))
        if tensor.grad_fn is not None:
            self.of_outputs.setdefault((id(tensor.grad_fn), tensor.output_nr), name)
        elif tensor.grad is not None and tensor.grad.grad_fn is not None:  # of backward(create_graph=True)
            self.of_outputs.setdefault((id(tensor.grad.grad_fn), tensor.grad.output_nr), f"{name}.grad")

    def _add_module(self, name: str, module: Any) -> None:
        if id(module) in self.of_modules:
            return
        for path, part in module.named_modules(prefix=name):
            self.modules.setdefault(self.of_modules.setdefault(id(part), path), part)
            self._add_attributes(path, part)

    def _add_attributes(self, path: str, module: Any) -> None:
        for key, item in vars(module).items():
            if isinstance(item, Tensor):
                self._add_tensor(f"{path}.{key}", item)
            elif isinstance(item, list | tuple | dict) and not key.startswith("_"):
                self._add(f"{path}.{key}", item, 1)


def _has_attributes(value: Any) -> bool:
    return type(value).__dictoffset__ != 0 and not isinstance(value, type | ModuleType) and not callable(value)


def is_module(value: Any) -> bool:
    """Whether it is an nn.Module."""
    nn = sys.modules.get("chainrule.nn")
    return nn is not None and isinstance(value, nn.Module)
