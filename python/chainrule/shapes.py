"""Calculating with shapes alone."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from ._core import Size


def broadcast_shapes(*shapes: int | Iterable[int]) -> Size:
    """The shape that tensors of these shapes broadcast to.

    >>> torch.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    result: list[int] = []
    for number, shape in enumerate(shapes):
        if not isinstance(shape, (int, list, tuple)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
        sizes = Size([shape] if isinstance(shape, int) else shape)
        result[:0] = [1] * (len(sizes) - len(result))
        for back, size in enumerate(reversed(sizes), start=1):
            if size < 0:
                raise ValueError(
                    f"Attempting to broadcast a dimension with negative length! Argument {number}: {sizes}"
                )
            if size in (1, result[-back]):
                continue
            if result[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {-back}! Mismatching argument at index "
                    f"{number} had {tuple(sizes)}; but expected shape should be broadcastable to {result}"
                )
            result[-back] = operator.index(size)
    return Size(result)
