"""What a record is: an op's name and its arguments, with a Draw wherever a tensor has to be made."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Draw:
    """A tensor of random numbers between `low` and `high`. A `fixed` one keeps its dtype: an index, a condition."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    fixed: str | None = None
    grad: bool = True
    ascending: bool = False  # along the last dimension

    def values(self, seed: int) -> np.ndarray:
        made = np.random.default_rng(seed).uniform(self.low, self.high, self.shape)
        return np.sort(made) if self.ascending else made


def X(*shape: int, low: float = -2.0, high: float = 2.0, grad: bool = True, ascending: bool = False) -> Draw:  # noqa: N802
    """A floating point tensor, with a gradient where PyTorch has one."""
    return Draw(shape, low, high, grad=grad, ascending=ascending)


def N(*shape: int, low: int = 0, high: int = 3) -> Draw:  # noqa: N802
    """Integers, low <= n < high."""
    return Draw(shape, low, high, "int64")


def B(*shape: int) -> Draw:  # noqa: N802
    """Truth values."""
    return Draw(shape, -1.0, 1.0, "bool")


# The last step of an operation composed of others is our own choice, and so is the name of its node.
INNER_NAME = "name"


@dataclass(frozen=True)
class Record:
    """One op with one set of arguments.

    `tolerance` multiplies the dtype's usual one; `skip` names aspects not tried. Both need a reason beside them.
    """

    name: str
    args: tuple
    kwargs: dict[str, Any] = field(default_factory=dict)
    elementwise: bool = False
    tolerance: float = 1.0
    skip: frozenset[str] = frozenset()

    @property
    def draws(self) -> list[Draw]:
        return list(_draws(self.args)) + list(_draws(tuple(self.kwargs.values())))

    @property
    def seed(self) -> int:
        return zlib.crc32(repr((self.name, self.args, self.kwargs)).encode())

    def values(self) -> list[np.ndarray]:
        """One array per Draw; integers and truth values are rounded already."""
        made = [draw.values(self.seed + i) for i, draw in enumerate(self.draws)]
        return [_fixed(array, draw.fixed) for array, draw in zip(made, self.draws, strict=True)]

    def fill(self, tensors: list) -> tuple[tuple, dict[str, Any]]:
        """The arguments with tensors in place of the draws."""
        rest = iter(tensors)
        args = _filled(self.args, rest)
        return args, dict(zip(self.kwargs, _filled(tuple(self.kwargs.values()), rest), strict=True))

    def reshaped(self, *shapes: tuple[int, ...]) -> Record:
        """The same elementwise op on tensors of other shapes."""
        made = [replace(draw, shape=shape) for draw, shape in zip(self.draws, shapes, strict=True)]
        args, kwargs = self.fill(made)
        return replace(self, args=args, kwargs=kwargs)

    def __str__(self) -> str:
        parts = [_text(a) for a in self.args] + [f"{k}={_text(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({','.join(parts)})"


def op(name: str, *args: Any, tolerance: float = 1.0, skip: str = "", **kwargs: Any) -> Record:
    """A record in one line."""
    return Record(name, args, kwargs, tolerance=tolerance, skip=frozenset(skip.split()))


def _fixed(array: np.ndarray, dtype: str | None) -> np.ndarray:
    if dtype == "bool":
        return array > 0
    return array if dtype is None else np.floor(array).astype(dtype)


def _draws(args: tuple | list) -> Iterator[Draw]:
    for a in args:
        if isinstance(a, Draw):
            yield a
        elif isinstance(a, (tuple, list)):
            yield from _draws(a)


def _filled(args: tuple | list, tensors: Iterator) -> Any:
    def one(a: Any) -> Any:
        if isinstance(a, Draw):
            return next(tensors)
        if isinstance(a, (tuple, list)) and any(_draws(a)):
            return type(a)(_filled(a, tensors))
        return a

    return tuple(one(a) for a in args)


def _text(a: Any) -> str:
    if isinstance(a, Draw):
        return (
            {"int64": "N", "bool": "B", None: ""}[a.fixed] + "x".join(map(str, a.shape)) + ("0d" if not a.shape else "")
        )
    return str(a).replace(" ", "") if not isinstance(a, (list, tuple)) else "[" + ",".join(_text(i) for i in a) + "]"
