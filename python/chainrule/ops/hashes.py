"""A number that tells whether elements are the same as before."""

from __future__ import annotations

import math

from .. import cat, float64, int64, uint64
from .._core import Tensor
from .checks import spoken, wrap_dim


def hash_tensor(input: Tensor, dim: tuple[int, ...] | None, keepdim: bool, mode: int) -> Tensor:
    """The bits of the elements, each as float64 or int64, joined by exclusive or."""
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}; the one there is, exclusive or, has the number 0")
    if input.dtype.is_complex or spoken(input.dtype).startswith("UInt"):
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{spoken(input.dtype)}'")
    dims = _reduced(input, dim or ())
    bits = input.detach().to(float64).view(int64) if input.dtype.is_floating_point else input.to(int64)
    kept = tuple(1 if i in dims else size for i, size in enumerate(input.shape))
    count = math.prod(input.shape[d] for d in dims)
    rows = bits.movedim(dims, tuple(range(len(dims)))).reshape(count, *(s for i, s in enumerate(kept) if i not in dims))
    joined = _exclusive_or(rows).view(uint64)
    return joined.reshape(kept) if keepdim else joined


def _reduced(input: Tensor, dim: tuple[int, ...]) -> tuple[int, ...]:
    if input.numel() == 0 and not dim:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    dims = tuple(wrap_dim(d, input.ndim) for d in dim)
    for i, d in enumerate(dims):
        if d in dims[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        if input.ndim and input.shape[d] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    return dims if dims and input.ndim else tuple(range(input.ndim))


def _exclusive_or(rows: Tensor) -> Tensor:
    """All rows joined into one, half with half."""
    while (count := rows.shape[0]) > 1:
        half = count // 2
        joined = rows[:half] ^ rows[half : 2 * half]
        rows = cat([joined, rows[2 * half :]]) if count % 2 else joined
    return rows[0]
