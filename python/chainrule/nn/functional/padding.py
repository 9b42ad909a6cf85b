"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ... import _core
from ..._core import Tensor
from ...amp.precision import in_float32_on_cpu
from ...error_words import at_call

_functions = _core.functions
_constant_pad = _functions["constant_pad_nd"]
_repeated_pad = _functions["_repeated_pad"]


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds to both ends of the last dimensions: pad is (left, right, top, bottom, ...), the last dimension first.

    Args:
        pad: how much to add; a negative number takes away.
        mode: "constant", "reflect", "replicate" or "circular".
        value: what is added in mode "constant".

    Shape and dtype: Each size with its two numbers added; the dtype of the input.
    Derivative: g without what was added; what was repeated or mirrored is added to where it came from

    >>> torch.nn.functional.pad(torch.tensor([1., 2.]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    pad = [int(n) for n in pad]
    if len(pad) % 2:
        raise at_call(RuntimeError, "Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise at_call(
            RuntimeError,
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.dim()}",
        )
    if mode == "constant":
        return _constant_pad(input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise at_call(RuntimeError, f'Padding mode "{mode}" doesn\'t take in value argument')
    spatial = len(pad) // 2
    if mode not in ("reflect", "replicate", "circular"):
        raise at_call(NotImplementedError, f"Unrecognised padding mode {mode}")
    if spatial not in (1, 2, 3) or input.dim() - spatial not in (1, 2):
        raise at_call(
            NotImplementedError,
            f"Padding size {len(pad)} is not supported for {input.dim()}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
        )
    as_given = mode == "circular" or (mode == "reflect" and spatial == 3)  # what autocast leaves alone
    return (_from_itself if as_given else _from_itself_in_float32)(input, pad, mode)


def _cut(x: Tensor, dim: int, before: int, after: int) -> Tensor:
    """Without what negative padding takes away."""
    if before >= 0 and after >= 0:
        return x
    return x.narrow(dim, max(-before, 0), x.shape[dim] + min(before, 0) + min(after, 0))


def _circular(input: Tensor, pad: list[int]) -> Tensor:
    result = input.contiguous() if any(pad) else input  # what is joined would lie as its parts do
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input.dim() - 1 - i
        result = _cut(result, dim, before, after)  # and so it does not come round again
        if before > 0 or after > 0:
            size = result.shape[dim]
            front, back = (
                result.narrow(dim, size - max(before, 0), max(before, 0)),
                result.narrow(dim, 0, max(after, 0)),
            )
            result = _functions["cat"]([front, result, back], dim)
    if any(n > 0 for n in pad):
        return result.contiguous()
    return result.clone(memory_format=_core.contiguous_format if any(pad) else _core.preserve_format)


def _from_itself(input: Tensor, pad: list[int], mode: str) -> Tensor:
    _check(input, pad, mode)
    return _circular(input, pad) if mode == "circular" else _repeated_pad(input, pad, mode == "reflect")


_from_itself_in_float32 = in_float32_on_cpu(_from_itself)


def _check(input: Tensor, pad: list[int], mode: str) -> None:
    shape, spatial = list(input.shape), len(pad) // 2
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input.dim() - 1 - i
        if mode == "reflect" and (before >= shape[dim] or after >= shape[dim]):
            raise at_call(
                RuntimeError,
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {dim} of input {shape}",
            )
        if mode == "circular" and (before > shape[dim] or after > shape[dim]):
            raise at_call(RuntimeError, "Padding value causes wrapping around more than once.")
        if mode == "circular" and shape[dim] + before + after < 0:
            raise at_call(RuntimeError, "Negative padding value is resulting in an empty dimension")
        if shape[dim] + before + after < 1 and mode != "circular":
            raise at_call(
                RuntimeError,
                f"input (size: {shape}) is too small. Calculated output size is not positive at dimension {dim}",
            )
    if 0 in shape[1:] if input.dim() == spatial + 2 else 0 in shape:
        raise at_call(
            RuntimeError,
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {shape}",
        )
