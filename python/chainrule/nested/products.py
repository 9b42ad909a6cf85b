"""Products of matrices with nested tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .jagged import NestedTensor, wrapped
from .kinds import packed
from .padding import from_padded, padded_to


def _matmul(function: Callable, a: Any, b: Any) -> Any:
    result = _nested_by_nested(a, b) if isinstance(a, NestedTensor) and isinstance(b, NestedTensor) else None
    if result is None and not isinstance(b, NestedTensor):
        result = _nested_by_dense(a, b)
    elif result is None and not isinstance(a, NestedTensor):
        result = _dense_by_nested(a, b)
    if result is None:
        raise at_call(
            RuntimeError,
            f"matmul(): not supported between inputs of shapes ({', '.join(map(str, a.shape))}) and {b.shape}",
        )
    return result


def _nested_by_dense(x: NestedTensor, other: Tensor) -> Any:
    """(B, j1, D) by (D, E), or by (B, D, E), a matrix for each row."""
    ragged = x._rows.ragged
    if ragged >= x.dim() - 1:
        return None
    if other.dim() == 2 and x.dim() > 2:
        return wrapped(packed(x) @ other, x._rows)
    if x.dim() >= 3 and other.dim() == x.dim() and x.lengths() is None:
        return from_padded(_padded(x) @ other, x._rows)
    return None


def _dense_by_nested(other: Tensor, x: NestedTensor) -> Any:
    """(D, E) by (B, E, j1), or (B, D, E), a matrix for each row."""
    if x._rows.ragged < 2:
        return None
    if other.dim() == 2 and x.dim() > 2:
        return wrapped(other @ packed(x), x._rows)
    if x.dim() >= 3 and other.dim() == x.dim() and x.lengths() is None:
        return from_padded(other @ _padded(x), x._rows)
    return None


def _padded(x: NestedTensor) -> Tensor:
    return padded_to(x, 0.0, max(x._rows.counts, default=0))


def _nested_by_nested(a: NestedTensor, b: NestedTensor) -> Any:
    end = a._rows.ragged + 1
    if a.dim() > 3 and b.dim() > 3 and a.dim() == b.dim() and a.shape[:end] == b.shape[:end] and end <= a.dim() - 2:
        return wrapped(packed(a) @ packed(b), a._rows)
    summed = a.dim() == b.dim() == 3 and a._rows.ragged == 2 and b._rows.ragged == 1 and a.shape[2] == b.shape[1]
    if summed:  # over the ragged dimension
        return _core.functions["stack"]([p @ q for p, q in zip(a.unbind(), b.unbind(), strict=True)])
    return None


def _bmm(function: Callable, a: Any, b: Any) -> Any:
    for name, x in (("input", a), ("mat2", b)):
        if x.dim() != 3:
            raise at_call(ValueError, f"bmm(): {name} must be 3D, but got {x.dim()}D: {tuple(x.shape)}")
    return _matmul(function, a, b)


def _linear(function: Callable, x: Any, weight: Any, bias: Any = None) -> Any:
    if not isinstance(x, NestedTensor) or isinstance(weight, NestedTensor) or isinstance(bias, NestedTensor):
        raise at_call(ValueError, "linear(): expected a nested input with an ordinary weight and bias")
    if x._rows.ragged == x.dim() - 1:
        raise at_call(
            RuntimeError,
            f"linear(): not supported for NestedTensor on ragged dim: the last one of {tuple(x.shape)}; transpose "
            "first",
        )
    return wrapped(function(packed(x), weight, bias), x._rows)


def _reflected(function: Callable, b: Any, a: Any) -> Any:
    return _matmul(function, a, b)


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("matmul", "__matmul__"), _matmul),
    "__rmatmul__": _reflected,
    "bmm": _bmm,
    "linear": _linear,
}
