"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ... import _core
from ..._core import Tensor

_functions = _core.functions


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds to both ends of the last dimensions: pad is (left, right, top, bottom, ...), the last dimension first.

    Args:
        pad: how much to add; a negative number takes away.
        mode: "constant", "reflect", "replicate" or "circular".
        value: what is added in mode "constant".
    """
    pad = [int(n) for n in pad]
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.dim()}"
        )
    if mode == "constant":
        return _functions["constant_pad_nd"](input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    spatial = len(pad) // 2
    if mode not in _SOURCES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if spatial not in (1, 2, 3) or input.dim() - spatial not in (1, 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.dim()}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    return _from_itself(input, pad, mode)


def _reflected(size: int, before: int, after: int) -> list[int]:
    distances = (abs(position) for position in range(-before, size + after))
    return [d if d < size else 2 * (size - 1) - d for d in distances]


def _replicated(size: int, before: int, after: int) -> list[int]:
    return [min(max(position, 0), size - 1) for position in range(-before, size + after)]


def _circular(size: int, before: int, after: int) -> list[int]:
    start, left = max(-before, 0), size + min(before, 0) + min(after, 0)  # what is cut off does not come round again
    return [start + position % left for position in range(-max(before, 0), left + max(after, 0))]


# Which elements of a dimension make it with padding before and after.
_SOURCES = {"reflect": _reflected, "replicate": _replicated, "circular": _circular}


def _from_itself(input: Tensor, pad: list[int], mode: str) -> Tensor:
    sizes = list(input.shape)
    _check(input, pad, mode)
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input.dim() - 1 - i
        if before == after == 0:
            continue
        taken = _SOURCES[mode](sizes[dim], before, after)
        index = _functions["tensor"](taken, dtype=_core.int64)
        input = input[(slice(None),) * dim + (index,)]
    return input.clone() if not any(pad) else input


def _check(input: Tensor, pad: list[int], mode: str) -> None:
    shape, spatial = list(input.shape), len(pad) // 2
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input.dim() - 1 - i
        if mode == "reflect" and (before >= shape[dim] or after >= shape[dim]):
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {dim} of input {shape}"
            )
        if mode == "circular" and (before > shape[dim] or after > shape[dim]):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "circular" and shape[dim] + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if shape[dim] + before + after < 1 and mode != "circular":
            raise RuntimeError(
                f"input (size: {shape}) is too small. Calculated output size is not positive at dimension {dim}"
            )
    if 0 in shape[1:] if input.dim() == spatial + 2 else 0 in shape:
        raise RuntimeError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {shape}"
        )
