"""torch.ops.aten: PyTorch's operations under the names of its dispatcher, aten.add.Tensor for example.

Packages name them in tables while they are imported. Here a name is looked up when it is called: one that chainrule has
runs, another raises and names itself. Overloads of one name are one function, which looks at its arguments.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any

from .._core import Tensor, functions

__all__ = ["Namespace", "OpOverload", "OpOverloadPacket", "compiled_libraries"]


def _function(name: str) -> Callable | None:
    from .aten_functions import FUNCTIONS

    return FUNCTIONS.get(name) or functions.get(name) or getattr(Tensor, name, None)


class _Named:
    """What can be called by a name of the dispatcher."""

    def __init__(self, name: str, shown: str) -> None:
        self._name, self._shown = name, shown
        self.__name__ = shown

    @property
    def refusal(self) -> str | None:
        """Why a call would raise, for `chainrule check`."""
        return "chainrule has no such operation" if _function(self._name) is None else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = _function(self._name)
        if function is None:
            raise NotImplementedError(f"chainrule has no torch.ops.aten.{self._shown}")
        return function(*args, **kwargs)

    def __str__(self) -> str:
        return f"aten.{self._shown}"

    def __deepcopy__(self, memo: dict | None = None) -> _Named:
        return self


class OpOverload(_Named):
    """An operation with the name of one of its signatures."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        super().__init__(packet._name, f"{packet._name}.{overload}")
        self.overloadpacket, self._overloadname = packet, overload
        self._overloadpacket = packet  # packages read either name
        self.namespace = "aten"

    def name(self) -> str:
        """aten::add.Tensor"""
        plain = f"aten::{self._name}"
        return plain if self._overloadname == "default" else f"{plain}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self._name}', overload='{self._overloadname}')>"


class OpOverloadPacket(_Named):
    """An operation; its attributes are its signatures."""

    def __init__(self, name: str) -> None:
        super().__init__(name, name)

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(f"'OpOverloadPacket' object has no attribute '{overload}'")
        found = self.__dict__[overload] = OpOverload(self, overload)  # the same one each time
        return found

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self._name}')>"


compiled_libraries: list[str] = []  # files that torch.ops.load_library was given


def _in_a_compiled_library(library: str, name: str) -> str | None:
    """The file that has a name in it; the names of operations stand there as they are."""
    for path in sorted(compiled_libraries, key=lambda path: library.strip("_") not in path):
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content.find(name.encode()) >= 0:
                return path
    return None


class Namespace:
    """The operations of one library: all names for aten; for another those that are registered or compiled."""

    def __init__(self, library: str) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"'_OpNamespace' '{self._library}' object has no attribute '{name}'")
        found: Any = OpOverloadPacket(name) if self._library == "aten" else self._foreign(name)
        self.__dict__[name] = found
        return found

    def _foreign(self, name: str) -> Any:
        if self._library == "torchvision":
            from ..vision import operation

            found = operation(name)
            if found is not None:
                return found
        path = _in_a_compiled_library(self._library, name)
        if path is None:
            raise AttributeError(f"'_OpNamespace' '{self._library}' object has no attribute '{name}'")
        from ..library_definitions import DefinedOp

        return DefinedOp(f"{self._library}::{name}", None, os.path.basename(path))

    def __dir__(self) -> list[str]:
        return [name for name in vars(self) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<torch.ops.{self._library}>"
