"""Numbers that may be given once for all dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..error_words import at_call


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple]:
    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: tuple, n: int) -> tuple:
    """(a, b) as (b, b, a, a) for n = 2: padding per dimension in the order that nn.functional.pad takes."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: Any, defaults: list[int]) -> Any:
    """Sizes, with those that are None taken from the end of `defaults`."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise at_call(ValueError, f"Input dimension should be at least {len(out_size) + 1}, but got {len(defaults)}")
    return [d if v is None else v for v, d in zip(out_size, defaults[len(defaults) - len(out_size) :], strict=True)]
