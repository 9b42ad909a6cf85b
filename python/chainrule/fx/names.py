"""What functions, types and values of a recorded program are called."""

from __future__ import annotations

import builtins
import inspect
import keyword
import math
import re
import types
from collections.abc import Callable
from typing import Any

import chainrule

from ..ops.dispatcher_names import OpOverload, OpOverloadPacket
from ..overridable import resolve_name

__all__ = ["CUSTOM_BUILTINS", "Namespace", "is_from_torch", "public_module", "qualified_name", "type_text"]

# What generated code may say without an import: the name, the object, and how a file would import it.
CUSTOM_BUILTINS: dict[str, tuple[Any, str]] = {
    "inf": (math.inf, "from math import inf"),
    "nan": (math.nan, "from math import nan"),
    "NoneType": (type(None), "NoneType = type(None)"),
    "torch": (chainrule, "import torch"),
    "device": (chainrule.device, "from torch import device"),
}

_TAKEN = {**dict.fromkeys(keyword.kwlist, object()), **vars(builtins)}
_TAKEN |= {name: value for name, (value, _) in CUSTOM_BUILTINS.items()} | {"fx_pytree": object(), "pytree": object()}
_NAME = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")


class Namespace:
    """Names that are given once each: to an object, or to nobody in particular."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name like the candidate that is free; the object's own if it has one."""
        if obj is not None and obj in self._names:
            return self._names[obj]
        candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        match = _NAME.match(candidate if not candidate[0].isdigit() else f"_{candidate}")
        assert match is not None  # illegal characters are gone
        candidate, (base, number) = match.group(0), match.group(1, 2)
        if number is None or candidate in self._used:
            count = self._counts.get(base, 0)
            if _TAKEN.get(candidate, obj) is not obj:
                count += 1
                candidate = f"{base}_{count}"
        else:
            count = int(number)
        while candidate in self._used:
            count += 1
            candidate = f"{base}_{count}"
        self._used.add(candidate)
        self._counts[base] = count
        if obj is not None:
            self._names[obj] = candidate
        return candidate

    def associate(self, name: str, obj: Any) -> None:
        """The object has this name from now on."""
        self._names[obj] = name
        self._used.add(name)


def public_module(name: str) -> str:
    """A module's name as PyTorch has it."""
    return re.sub(r"^chainrule\b", "torch", name)


def qualified_name(func: Any) -> str:
    """What a function is called from its package on: torch.add, _operator.add, getattr."""
    if isinstance(func, (OpOverload, OpOverloadPacket)):
        return f"torch.ops.{func}"
    name = getattr(func, "__name__", None) or type(func).__name__
    if getattr(builtins, name, None) is func:
        return name
    known = _known(func, name)
    if known is not None:
        return known
    if name == "<lambda>":
        name = _name_of_lambda(func)
    module = getattr(func, "__module__", None)
    if module is None:
        raise RuntimeError(f"cannot find module for {func}")
    return f"{public_module(module)}.{name}"


def _known(func: Any, name: str) -> str | None:
    """The name of one of chainrule's own functions, where users find it."""
    try:
        found = resolve_name(func)
    except TypeError:  # it cannot be hashed, so it is none of ours
        return None
    if found is None and getattr(chainrule, name, None) is func:
        return f"torch.{name}"
    return found


def _name_of_lambda(func: Callable) -> str:
    try:
        return inspect.getsource(func).split("=")[0].strip()
    except Exception as error:
        raise RuntimeError("Unable to represent lambda") from error


def is_from_torch(obj: Any) -> bool:
    """Whether generated code reaches the object from torch, and needs no global of its own."""
    if isinstance(obj, (OpOverload, OpOverloadPacket)):
        return True
    module = getattr(obj, "__module__", None)
    return isinstance(module, str) and re.match(r"(torch|chainrule)(\.|$)", module) is not None


def type_text(obj: Any) -> str:
    """A type as an annotation says it."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return (
            obj.__qualname__ if obj.__module__ == "builtins" else f"{public_module(obj.__module__)}.{obj.__qualname__}"
        )
    if obj is ...:
        return "..."
    return obj.__name__ if isinstance(obj, types.FunctionType) else repr(obj)
