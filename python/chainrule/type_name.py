"""typename: what a value is called in messages."""

from __future__ import annotations

from typing import Any

from ._core import Tensor


def typename(obj: Any, /) -> str:
    """The name of an object's type; of a tensor the name with its dtype.

    >>> torch.typename(torch.tensor([1.]))
    'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, "__module__", "") or ""
    if module in ("builtins", "__builtin__"):
        module = ""
    if getattr(obj, "__qualname__", None):
        name = obj.__qualname__
    elif getattr(obj, "__name__", None):
        name = obj.__name__
    else:
        module = getattr(type(obj), "__module__", "") or ""
        module = "" if module in ("builtins", "__builtin__") else module
        name = type(obj).__qualname__
    return f"{module}.{name}" if module else name
