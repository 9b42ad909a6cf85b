"""Distances between points."""

from __future__ import annotations

import math

from .. import bfloat16, cat, float16, where
from .._core import Tensor, functions
from ..autograd import differentiable
from .checks import check_same_dtype, is_integral, refuse_dtype, spoken, wrap_dim

_vector_norm = functions["linalg_vector_norm"]

# Above this many points PyTorch takes a matrix product for euclidean distances, unless told otherwise.
_FEW_POINTS = 25
# Differences that a cache holds: distances are taken of so many at a time.
_CACHED = 1 << 16
_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference."""
    difference = input - other
    if is_integral(difference.dtype):
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {spoken(difference.dtype)} instead."
        )
    return difference.norm(p)


def cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: str) -> Tensor:
    """The p-norm distance between each row of x1 and each row of x2."""
    _check_points(x1, x2, p, compute_mode)
    many = x1.size(-2) > _FEW_POINTS or x2.size(-2) > _FEW_POINTS
    if p == 2 and (compute_mode == _MODES[1] or (compute_mode == _MODES[0] and many)):
        return _euclidean_by_product(x1, x2)
    if x1.dtype in (float16, bfloat16):
        refuse_dtype("cdist", x1.dtype)
    check_same_dtype(x1, x2)
    pairs = x2.unsqueeze(-3)
    rows = max(1, _CACHED // max(1, x2.size(-2) * x2.size(-1)))
    if x1.size(-2) <= rows:
        return length(x1.unsqueeze(-2) - pairs, p)
    return cat([length(part.unsqueeze(-2) - pairs, p) for part in x1.split(rows, -2)], -2)


def length(difference: Tensor, p: float) -> Tensor:
    """The p-norm of rows as distances have it: NaN counts in all of them, and is in the gradients."""
    if p == 0:
        return difference.abs().ceil().clamp_max(1).sum(-1)
    return _length(difference, p) if p in (1, math.inf) else _vector_norm(difference, p, -1)


@differentiable
def _length(difference: Tensor, p: float) -> Tensor:
    return _vector_norm(difference, p, -1)


@_length.gradient("difference")
def _(g, y, difference, p):
    y = y.unsqueeze(-1)
    direction = where(difference == difference, difference.sign(), difference)
    if p != 1:  # each of the largest has all of the gradient
        direction = where(difference.abs() == y, direction, where(y == y, 0.0, y))
    return g.unsqueeze(-1) * direction


def _check_points(x1: Tensor, x2: Tensor, p: float, compute_mode: str) -> None:
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode; one of {', '.join(_MODES)} is")
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}")
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {spoken(x.dtype)}")
    if not p >= 0:
        raise RuntimeError(f"cdist only supports non-negative p values, not {p}")


def _euclidean_by_product(x1: Tensor, x2: Tensor) -> Tensor:
    """|a|² - 2ab + |b|² as one matrix product: (-2a, |a|², 1) with (b, 1, |b|²)."""
    a2, b2 = (x.square().sum(-1, keepdim=True) for x in (x1, x2))
    left = cat([-2 * x1, a2, a2.new_ones(a2.shape)], -1)
    right = cat([x2, b2.new_ones(b2.shape), b2], -1)
    squared = left.matmul(right.mT).clamp_min(0)
    # The root has no derivative at zero; PyTorch's gradient there is zero.
    is_zero = squared == 0
    return where(is_zero, 0.0, where(is_zero, 1.0, squared).sqrt())


def norm_except_dim(v: Tensor, pow: int, dim: int) -> Tensor:
    """The norm over all dimensions but `dim`, the first or the last, with those kept; over all for -1."""
    if dim == -1:
        return v.norm(pow)
    dim = wrap_dim(dim, v.ndim)
    return _vector_norm(v, pow, [d for d in range(v.ndim) if d != dim], True)
