"""Giving a tensor the memory of a storage."""

from __future__ import annotations

from .._core import Tensor, UntypedStorage, uint8
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
    if storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if stride and len(stride) != len(size):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    strides = stride or _dense(size)
    if size != tuple(input.shape) or (stride and stride != input.stride()):
        source = _large_enough(source, input.dtype.itemsize, storage_offset, size, strides)
    return input.set_(source._tensor(input.dtype, storage_offset, size, strides))


def _large_enough(
    source: UntypedStorage, itemsize: int, offset: int, size: tuple[int, ...], strides: tuple[int, ...]
) -> UntypedStorage:
    """The storage, or where it is too small a larger one with the same bytes: PyTorch makes it larger itself."""
    last = offset + sum((n - 1) * step for n, step in zip(size, strides, strict=True))
    needed = 0 if 0 in size else (last + 1) * itemsize
    if needed <= source.nbytes():
        return source
    if not source.resizable():
        raise RuntimeError("Trying to resize storage that is not resizable")
    larger = UntypedStorage(needed)
    if source.nbytes():
        larger._tensor(uint8, 0, (source.nbytes(),), (1,)).copy_(source._tensor(uint8, 0, (source.nbytes(),), (1,)))
    return larger


def _dense(size: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))
