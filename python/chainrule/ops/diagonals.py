"""Writing along a diagonal."""

from __future__ import annotations

from .._core import Tensor


def fill_diagonal_(input: Tensor, fill_value: complex, wrap: bool) -> Tensor:
    """The main diagonal overwritten; with `wrap`, that of a tall matrix goes on below, after an empty row."""
    if input.ndim < 2:
        raise RuntimeError(f"dimensions must larger than 1: this tensor has {input.ndim}")
    if input.ndim > 2 and len(set(input.shape)) > 1:
        raise RuntimeError(f"all dimensions of input must be of equal length, but its shape is {list(input.shape)}")
    height, width = input.shape[0], input.shape[1]
    step, offset = sum(input.stride()), input.storage_offset()
    size = min(height, width)
    input.as_strided((size,), (step,), offset).fill_(fill_value)
    if wrap and input.ndim == 2 and height > width + 1:
        below = input.stride(0) * (width + 1)
        size = (input.numel() + width) // (width + 1) - size  # what is left of every (width + 1)-th element
        input.as_strided((size,), (step,), offset + below).fill_(fill_value)
    return input
