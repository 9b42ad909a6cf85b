"""Arithmetic that PyTorch's compiler follows symbolically. Here every number is a plain one, and so is the result."""

from __future__ import annotations

import math
from typing import Any

from .compat.refusal import refused_class

_PLAIN = "sizes are plain Python numbers in chainrule, which has no compiler to trace them for"
SymInt, SymFloat, SymBool = (refused_class(name, _PLAIN) for name in ("SymInt", "SymFloat", "SymBool"))


def sym_int(a: Any) -> int:
    """The number as an int, rounded towards zero.

    >>> torch.sym_int(-2.7)
    -2
    """
    return int(a)


def sym_float(a: Any) -> float:
    """The number as a float.

    >>> torch.sym_float(2)
    2.0
    """
    return float(a)


def sym_not(a: Any) -> bool:
    """Whether the argument is false.

    >>> torch.sym_not(True)
    False
    """
    return not a


def sym_max(a: float, b: float) -> float:
    """The larger number; a float if one of them is.

    >>> torch.sym_max(2, 1.0)
    2.0
    """
    return _extreme(max, a, b)


def sym_min(a: float, b: float) -> float:
    """The smaller number; a float if one of them is.

    >>> torch.sym_min(2, 1.0)
    1.0
    """
    return _extreme(min, a, b)


def _extreme(choose: Any, a: float, b: float) -> float:
    if any(isinstance(x, float) for x in (a, b)):
        return math.nan if math.isnan(a) or math.isnan(b) else float(choose(a, b))
    return choose(a, b)


def sym_sum(*args: Any) -> int:
    """The sum of integers, given one by one or as a list.

    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return sum(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """`t` if `b` is true, else `f`.

    >>> torch.sym_ite(True, 1, 2)
    1
    """
    return t if b else f


def sym_sqrt(a: float) -> float:
    """The square root of a number.

    >>> torch.sym_sqrt(4)
    2.0
    """
    return math.sqrt(a)
