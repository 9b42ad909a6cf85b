"""Norms of matrices, and the condition number that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from .. import promote_types, where
from .._core import Tensor, dtype, functions
from ..ops.checks import spoken, wrap_dim
from .checks import check_floating, check_matrix, check_square
from .singular_values import linalg_svdvals
from .solving import invert

_vector_norm = functions["linalg_vector_norm"]


def linalg_matrix_norm(
    input: Tensor, ord: float | str, dim: Sequence[int], keepdim: bool, dtype: dtype | None
) -> Tensor:
    """The norm over two dimensions: "fro", "nuc", or ±1, ±2, ±inf as an operator's."""
    function = "linalg.matrix_norm"
    check_matrix(input, function)
    if len(dim) != 2:
        raise RuntimeError(f"{function}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"{function}: Order {ord} not supported.")
    elif isinstance(ord, complex):
        raise RuntimeError(f"{function}: Expected a non-complex scalar as the order of norm.")
    elif ord is None or abs(ord) not in (1, 2, inf):
        raise RuntimeError(f"{function}: Order {ord} not supported.")
    check_floating(input, function, low_precision=ord not in (2, -2, "nuc"))
    dims = [wrap_dim(d, input.ndim) for d in dim]
    if dims[0] == dims[1]:
        raise RuntimeError(f"{function}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return _vector_norm(input, 2, dims, keepdim, dtype=dtype)
    input = _converted(input, dtype, function)
    if ord in ("nuc", 2, -2):
        return _by_singular_values(input, ord, dims, keepdim)
    assert not isinstance(ord, str)
    across, along = dims if abs(ord) == 1 else reversed(dims)
    sums = _vector_norm(input, 1, [across], True)
    most = _extreme(sums, ord, along)
    return most if keepdim else most.squeeze(dims)


def _extreme(values: Tensor, ord: float, dim: int) -> Tensor:
    """The largest, or for a negative order the smallest, in a dimension that is kept. The largest of none is zero."""
    if ord < 0:
        return values.amin(dim, True)
    return values.amax(dim, True) if values.shape[dim] else values.sum(dim, keepdim=True)


def _converted(input: Tensor, kind: dtype | None, function: str) -> Tensor:
    if kind is None or kind == input.dtype:
        return input
    if kind.is_complex != input.is_complex() or not (kind.is_complex or kind.is_floating_point):
        what = "complex" if input.is_complex() else "real"
        raise RuntimeError(f"{function}: dtype should be {what} for {what} inputs, but got {spoken(kind)}")
    if promote_types(input.dtype, kind) != kind:
        raise RuntimeError(
            f"{function}: the dtype of the input ({spoken(input.dtype)}) should be convertible without narrowing to "
            f"the specified dtype ({spoken(kind)})"
        )
    return input.to(kind)


def _by_singular_values(input: Tensor, ord: float | str, dims: Sequence[int], keepdim: bool) -> Tensor:
    values = linalg_svdvals(input.movedim(tuple(dims), (-2, -1)))
    norm = values.sum(-1) if isinstance(ord, str) else _extreme(values, ord, -1).squeeze(-1)
    if keepdim:
        for dim in sorted(dims):
            norm = norm.unsqueeze(dim)
    return norm


def frobenius_norm(input: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
    """The root of the sum of squares, of vectors or of matrices."""
    if len(dim) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dim)} dimensions instead.")
    return _vector_norm(input, 2, dim, keepdim)


def nuclear_norm(input: Tensor, dim: Sequence[int] | None, keepdim: bool) -> Tensor:
    """The sum of singular values."""
    return linalg_matrix_norm(input, "nuc", range(input.ndim) if dim is None else dim, keepdim, None)


def linalg_norm(
    input: Tensor, ord: float | str | None, dim: Sequence[int] | None, keepdim: bool, dtype: dtype | None
) -> Tensor:
    """The norm of vectors or of matrices, as `dim` and `ord` say."""
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if dim is None and ord is not None and input.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
    if isinstance(ord, str) or (ord is not None and (len(dim) == 2 if dim is not None else input.ndim == 2)):
        return linalg_matrix_norm(input, ord, (0, 1) if dim is None else dim, keepdim, dtype)
    return _vector_norm(input, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def linalg_cond(input: Tensor, p: float | str | None) -> Tensor:
    """How much a solution may change relative to its equation: |A| |A⁻¹|, infinite for a singular matrix."""
    if input.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, complex) or (isinstance(p, str) and p not in ("fro", "nuc")):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not isinstance(p, str) and p is not None and abs(p) not in (1, 2, inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p is None or p in (2, -2):
        values = linalg_svdvals(input)
        if not values.numel():
            return values.new_zeros(input.shape[:-2])
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    check_square(input, f"linalg.cond(ord={p})")
    if not input.numel():
        return input.new_zeros(input.shape[:-2]).abs()
    if p == "nuc":
        values = linalg_svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    inverse, info = invert(input, None)
    singular = info != 0
    inverse = where(singular.unsqueeze(-1).unsqueeze(-1), inf, inverse)
    product = linalg_matrix_norm(input, p, (-2, -1), False, None) * linalg_matrix_norm(
        inverse, p, (-2, -1), False, None
    )
    return product.nan_to_num(inf, inf, -inf)
