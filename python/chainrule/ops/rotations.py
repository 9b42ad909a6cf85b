"""Turning and mirroring in the plane of two dimensions."""

from __future__ import annotations

from .._core import Tensor
from ..autograd import differentiable
from .checks import wrap_dim


def rot90(input: Tensor, k: int, dims: tuple[int, ...] | None) -> Tensor:
    """Turned k times by 90 degrees, from the first of the two dimensions towards the second."""
    dims = (0, 1) if dims is None else dims
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    a, b = (wrap_dim(dim, input.ndim) for dim in dims)
    if a == b:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return _turned(input, k % 4, a, b)


@differentiable(name="Rot90Backward0")
def _turned(input: Tensor, k: int, a: int, b: int) -> Tensor:
    if k == 0:
        return input.clone()
    if k == 2:
        return input.flip((a, b))
    return input.flip((b if k == 1 else a,)).transpose_(a, b)


@_turned.gradient("input")
def _(g: Tensor, k: int, a: int, b: int) -> Tensor:
    return _turned(g, -k % 4, a, b)


def fliplr(input: Tensor) -> Tensor:
    """The columns in the opposite order."""
    if input.ndim < 2:
        raise RuntimeError(f"Input must be >= 2-d. It is {input.ndim}-d")
    return input.flip((1,))


def flipud(input: Tensor) -> Tensor:
    """The rows in the opposite order."""
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d. It is 0-d")
    return input.flip((0,))
