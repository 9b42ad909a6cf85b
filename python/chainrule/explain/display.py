"""How numbers and tensors are shown: a number as it is, a small tensor whole, a large one by shape and summary."""

from __future__ import annotations

import ast
import math
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad

__all__ = ["number_text", "value_text"]

_SHOWN_WHOLE = 6


def number_text(value: Any) -> str:
    """Six digits, without needless zeros."""
    if isinstance(value, complex):
        return f"({value:.6g})"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def bracketed(expression: str) -> str:
    """In brackets, if what stands before or after it would take a part of it: d (a + b) / d x."""
    try:
        tree = ast.parse(expression, mode="eval").body
    except SyntaxError:  # words: derivative of x * x
        return f"({expression})" if " " in expression else expression
    return f"({expression})" if isinstance(tree, ast.BinOp | ast.UnaryOp | ast.Compare | ast.IfExp) else expression


def counted(count: int, one: str, several: str | None = None) -> str:
    """`1 operation`, `2 operations`."""
    return f"{count} {one if count == 1 else several or one + 's'}"


def shape_text(shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def value_text(value: Any, index: tuple[int, ...] | None = None) -> str:
    """A value in few characters; with an index, that element alone."""
    if value is None:
        return "not kept"
    if not isinstance(value, Tensor):
        return number_text(value)
    with no_grad():
        if index is not None:
            return number_text(value[index].item())
        if value.numel() == 1:
            return number_text(value.item())
        if 0 < value.numel() <= _SHOWN_WHOLE:
            return _nested(value.tolist())
        return f"{shape_text(tuple(value.shape))}{_summary(value)}"


def _nested(values: Any) -> str:
    return "[" + ", ".join(map(_nested, values)) + "]" if isinstance(values, list) else number_text(values)


def _summary(value: Tensor) -> str:
    if value.numel() == 0:
        return " empty"
    if not (value.is_floating_point()):
        return f" {str(value.dtype).rpartition('.')[2]}"
    if value.dtype.itemsize < 4:
        value = value.float()
    low, high = value.min().item(), value.max().item()
    if not (math.isfinite(low) and math.isfinite(high)):  # NaN is the extreme of what has one
        return _of_finite_ones(value)
    return f" all {number_text(low)}" if low == high else _range(value.mean().item(), low, high)


def _of_finite_ones(value: Tensor) -> str:
    inside = value[value.isfinite()]
    bad = value.numel() - inside.numel()
    if inside.numel() == 0:
        return " no finite number"
    return f"{_range(inside.mean().item(), inside.min().item(), inside.max().item())}, {bad} not finite"


def _range(mean: float, low: float, high: float) -> str:
    return f" mean {mean:.3g}, from {low:.3g} to {high:.3g}"
