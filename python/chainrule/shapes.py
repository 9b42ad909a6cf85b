"""Calculating with shapes and names alone."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ._core import Size, Tensor


def broadcast_shapes(*shapes: int | Iterable[int]) -> Size:
    """The shape that tensors of these shapes broadcast to.

    >>> broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    result: list[int] = []
    for number, shape in enumerate(shapes):
        sizes = Size([shape] if isinstance(shape, int) else shape)
        result[:0] = [1] * (len(sizes) - len(result))
        for back, size in enumerate(reversed(sizes), start=1):
            if size < 0:
                raise ValueError(
                    f"Attempting to broadcast a dimension with negative length! Argument {number}: {sizes}"
                )
            if size in (1, result[-back]):
                continue
            if result[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {-back}! Mismatching argument at index "
                    f"{number} had {tuple(sizes)}; but expected shape should be broadcastable to {result}"
                )
            result[-back] = operator.index(size)
    return Size(result)


def typename(obj: Any) -> str:
    """The name of an object's type; of a tensor the name with its dtype."""
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
