"""Grids and lists of combinations, powers and positions."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Sequence
from typing import Any

from .. import bool as bool_dtype
from .. import cat, empty, frombuffer, int64, ones, stack
from .._core import Tensor
from ..user_warning import warn_user
from .checks import is_integral


def meshgrid(tensors: Sequence[Tensor], indexing: str | None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: one tensor per given vector, each of the grid's shape."""
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: one of shape {list(t.shape)}"
            )
        if t.dtype != tensors[0].dtype:
            raise RuntimeError(
                f"meshgrid expects all tensors to have the same dtype, but got {tensors[0].dtype} and {t.dtype}"
            )
    if indexing is None:
        warn_user("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    dims = list(range(len(tensors)))  # along which each of them counts
    if indexing == "xy" and len(dims) > 1:
        dims[:2] = 1, 0
    shape = [tensors[at].numel() for at in dims]
    views = [t.reshape([-1 if i == dim else 1 for i in range(len(dims))]) for dim, t in zip(dims, tensors, strict=True)]
    return tuple(view.expand(shape) for view in views)


def cartesian_prod(tensors: Sequence[Tensor]) -> Tensor:
    """All tuples of one element of each vector, as rows."""
    for t in tensors:
        _check_vector(t)
    if len(tensors) == 1:
        return tensors[0]
    return stack([grid.flatten() for grid in meshgrid(tensors, "ij")], 1)


def combinations(input: Tensor, r: int, with_replacement: bool) -> Tensor:
    """All choices of r elements of a vector, as rows, in the order of itertools."""
    _check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return empty(0, dtype=input.dtype)
    n = input.numel()
    count = math.comb(n + r - 1 if with_replacement else n, r)
    if count * r >= 1 << 58:
        raise RuntimeError("numel: integer multiplication overflow")
    places = empty(count, r, dtype=int64)  # before they are listed: all of them may be too many
    if count:
        choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
        rows = array("q", itertools.chain.from_iterable(choose(range(n), r)))
        places = frombuffer(rows, dtype=int64).reshape(count, r)
    return stack([input[places[:, i]] for i in range(r)], 1) if r < 64 else input[places]


def _check_vector(t: Tensor) -> None:
    if t.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")


def vander(x: Tensor, n: int | None, increasing: bool) -> Tensor:
    """The powers of x below n, as columns, the highest first."""
    if x.ndim != 1:
        raise RuntimeError(f"x must be a one-dimensional tensor. It has {x.ndim} dimensions")
    n = x.numel() if n is None else n
    if n < 0:
        raise RuntimeError(f"N must be non-negative. It is {n}")
    x = x.to(int64) if is_integral(x.dtype) else x
    one = ones(x.numel(), 1, dtype=x.dtype)
    if n <= 1:
        return one[:, :n]
    powers = stack([x] * (n - 1), 1).cumprod(1)
    rising = cat([one, powers], 1)
    return rising if increasing else rising.flip(1)


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates of flat indices into a tensor of `shape`: one tensor per dimension."""
    if not is_integral(indices.dtype) or indices.dtype == bool_dtype:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    rest, coordinates = indices.to(int64), []
    for size in reversed(sizes):
        coordinates.append(rest % size)
        rest = rest // size
    return tuple(reversed(coordinates))
