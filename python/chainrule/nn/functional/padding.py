"""Padding."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ... import _core
from ..._core import Tensor
from ...amp.precision import in_float32
from ...autograd.differentiable import Differentiable, differentiable
from ...error_words import at_call

_functions = _core.functions
_constant_pad = _functions["constant_pad_nd"]


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
    if mode not in _STEMS:
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
    return (_from_itself if as_given else in_float32(_from_itself))(input, pad, mode)


# PyTorch composes the circular one.
_STEMS = {"reflect": "ReflectionPad", "replicate": "ReplicationPad", "circular": "CircularPad"}


def _sources(n: int, before: int, after: int, mode: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where in a dimension of length n that comes from which it gets in front and behind: start and length."""
    if mode == "reflect":
        return (1, before), (n - 1 - after, after)
    if mode == "replicate":
        return (0, 1), (n - 1, 1)
    return (n - before, before), (0, after)


def _repeated(part: Tensor, dim: int, count: int, mode: str) -> Tensor:
    """A part as it is added `count` long."""
    if mode == "replicate":
        return part.expand([count if d == dim else size for d, size in enumerate(part.shape)])
    return part.flip(dim) if mode == "reflect" else part


def _gathered(g: Tensor, dim: int, mode: str) -> Tensor:
    """The gradient of _repeated."""
    if mode == "replicate":
        return g.sum(dim, keepdim=True)
    return g.flip(dim) if mode == "reflect" else g


def _cut(x: Tensor, dim: int, before: int, after: int) -> Tensor:
    """Without what negative padding takes away."""
    if before >= 0 and after >= 0:
        return x
    return x.narrow(dim, max(-before, 0), x.shape[dim] + min(before, 0) + min(after, 0))


def _lengthened(x: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    if before <= 0 and after <= 0:
        return x
    counts = max(before, 0), max(after, 0)
    parts = [x.narrow(dim, *place) for place in _sources(x.shape[dim], *counts, mode)]
    front, back = (_repeated(part, dim, count, mode) for part, count in zip(parts, counts, strict=True))
    return _functions["cat"]([front, x, back], dim)


def _shortened(g: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """The gradient of _lengthened."""
    if before <= 0 and after <= 0:
        return g
    counts = max(before, 0), max(after, 0)
    n = g.shape[dim] - sum(counts)
    result = g.narrow(dim, counts[0], n).clone()
    for place, count, start in zip(_sources(n, *counts, mode), counts, (0, counts[0] + n), strict=True):
        if count:
            result.narrow(dim, *place).add_(_gathered(g.narrow(dim, start, count), dim, mode))
    return result


def _uncut(g: Tensor, dim: int, before: int, after: int) -> Tensor:
    """The gradient of _cut."""
    if before >= 0 and after >= 0:
        return g
    return _constant_pad(g, [0, 0] * (g.dim() - 1 - dim) + [max(-before, 0), max(-after, 0)])


@functools.cache
def _node(mode: str, spatial: int) -> Differentiable:
    cut_first = mode == "circular"  # what is cut off does not come round again; the others repeat it before it is cut

    @differentiable(name=f"{_STEMS[mode]}{spatial}DBackward0", shown={"input": "self"})
    def pad_from_itself(input: Tensor, padding: tuple[int, ...]) -> Tensor:
        x = input
        for i in range(spatial):
            ends = input.dim() - 1 - i, padding[2 * i], padding[2 * i + 1]
            x = _lengthened(_cut(x, *ends), *ends, mode) if cut_first else _cut(_lengthened(x, *ends, mode), *ends)
        return x.clone() if x is input or not x.is_contiguous() or any(n < 0 for n in padding) else x

    @pad_from_itself.gradient("input")
    def _(g, input, padding):
        for i in reversed(range(spatial)):
            ends = input.dim() - 1 - i, padding[2 * i], padding[2 * i + 1]
            g = _uncut(_shortened(g, *ends, mode), *ends) if cut_first else _shortened(_uncut(g, *ends), *ends, mode)
        return g

    return pad_from_itself


def _from_itself(input: Tensor, pad: list[int], mode: str) -> Tensor:
    _check(input, pad, mode)
    return _node(mode, len(pad) // 2)(input, tuple(pad))


def _check(input: Tensor, pad: list[int], mode: str) -> None:
    shape, spatial = list(input.shape), len(pad) // 2
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input.dim() - 1 - i
        if mode == "reflect" and (before >= shape[dim] or after >= shape[dim]):
            raise at_call(
                RuntimeError,
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {dim} of input {shape}",
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
