"""Giving a tensor the memory of a storage."""

from __future__ import annotations

from .._core import Tensor, UntypedStorage
from ..storage import TypedStorage


def set__storage(
    input: Tensor, source: object, storage_offset: int, size: tuple[int, ...] | None, stride: tuple[int, ...]
) -> Tensor:
    """`input` itself, now over the memory of `source`: all of it, or the part that is named."""
    if isinstance(source, TypedStorage):
        if source.dtype != input.dtype:
            raise RuntimeError(f"Expected a Storage of type {input.dtype} or an UntypedStorage, but got {source.dtype}")
        source = source.untyped()
    if not isinstance(source, UntypedStorage):
        raise TypeError(
            f"set_(): argument 'source' (position 1) must be Tensor or UntypedStorage, not {type(source).__name__}"
        )
    if size is None:
        size = (source.nbytes() // input.dtype.itemsize - storage_offset,)
    return input.set_(source._tensor(input.dtype, storage_offset, size, stride or _dense(size)))


def _dense(size: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))
