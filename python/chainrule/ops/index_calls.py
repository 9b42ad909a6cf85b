"""x[...] as the operations of aten that it is: select, slice and unsqueeze, and then index for what tensors choose."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .._core import Tensor, functions
from .._core import bool as bool_dtype
from .overloads import aten

__all__ = ["read", "write"]

_END = 2**63 - 1  # as PyTorch writes that a slice goes to the end

Call = Callable[..., Any]  # runs an operation of torch.ops.aten


def read(x: Tensor, index: Any, call: Call) -> Tensor:
    """x[index]."""
    items = _items(index, x.dim())
    if items is None:
        return call(aten.index.Tensor, x, index if isinstance(index, tuple) else (index,))
    x, chosen = _view(x, items, call)
    return call(aten.index.Tensor, x, chosen) if chosen else x


def write(x: Tensor, index: Any, value: Any, call: Call) -> None:
    """x[index] = value."""
    items = _items(index, x.dim())
    if items is None:
        x[index] = value
        return
    x, chosen = _view(x, items, call)
    if chosen:
        tensor = value if isinstance(value, Tensor) else functions["full"]([], value, dtype=x.dtype)
        call(aten.index_put_.default, x, chosen, tensor)
    elif isinstance(value, Tensor) and value.dim():
        call(aten.copy_.default, x, value)
    else:
        call(aten.fill_.Tensor if isinstance(value, Tensor) else aten.fill_.Scalar, x, value)


def _items(index: Any, dims: int) -> list[Any] | None:
    """The parts of an index, one for each dimension and each new one; None if there is another kind of part."""
    items = list(index) if isinstance(index, tuple) else [index]
    if not all(item is None or item is Ellipsis or isinstance(item, slice) or _is_position(item) for item in items):
        return None
    taken = sum(item is not None and item is not Ellipsis for item in items)
    at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    return items if at is None else [*items[:at], *[slice(None)] * (dims - taken), *items[at + 1 :]]


def _is_position(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.dtype != bool_dtype
    return hasattr(item, "__index__") and not isinstance(item, bool)


def _view(x: Tensor, items: list[Any], call: Call) -> tuple[Tensor, list[Tensor | None]]:
    """What numbers, slices and new dimensions give, and the positions that tensors choose of that."""
    chosen: list[Tensor | None] = []
    dim = 0
    for item in items:
        if item is None:
            x = call(aten.unsqueeze.default, x, dim)
        elif isinstance(item, Tensor):
            chosen += [None] * (dim - len(chosen)) + [item]
        elif not isinstance(item, slice):
            x = call(aten.select.int, x, dim, operator.index(item))
            continue
        elif item != slice(None):
            start, end, step = (
                each if each is None else operator.index(each) for each in (item.start, item.stop, item.step)
            )
            rest = [] if step in (None, 1) else [step]
            x = call(aten.slice.Tensor, x, dim, start or 0, _END if end is None else end, *rest)
        dim += 1
    return x, chosen
