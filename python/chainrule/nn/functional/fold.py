"""Sliding blocks of an image as columns, and back."""

from __future__ import annotations

import math
from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd import differentiable, grad
from ...autograd.grad_mode import enable_grad
from ..sizes import _pair
from .padding import pad

_functions = _core.functions


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The blocks of (N, C, H, W) or (C, H, W) as (N, C * kernel, blocks)."""
    window = (_pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
    if input.dim() not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    _check_window(*window)
    blocks = _blocks(list(input.shape[-2:]), *window)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={window[0]}, "
            f"dilation={window[1]}, padding={window[2]}, calculated shape of the array of sliding blocks as "
            f"{tuple(blocks)}, but its components must be at least one."
        )
    batched = input if input.dim() == 4 else input.unsqueeze(0)
    columns = _columns(batched, *window)
    return columns if input.dim() == 4 else columns.squeeze(0)


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Blocks added up to an image of output_size: what unfold's gradient does."""
    window = (_pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
    size = _pair(output_size)
    if input.dim() not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    _check_window(*window)
    area = math.prod(window[0])
    if input.shape[-2] % area:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)"
            f"={input.shape[-2]} and kernel_size={window[0]}."
        )
    blocks = _blocks(list(size), *window)
    if input.shape[-1] != math.prod(blocks) or min(blocks) < 1:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={window[0]}, dilation={window[1]}, padding={window[2]}, "
            f"stride={window[3]}, expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {blocks[0]} * {blocks[1]} = {math.prod(blocks)}, but got input.size(2)={input.shape[-1]}."
        )
    batched = input if input.dim() == 3 else input.unsqueeze(0)
    image = _image(batched, size, *window)
    return image if input.dim() == 3 else image.squeeze(0)


def _columns(input: Tensor, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> Tensor:
    batch, channels = input.shape[:2]
    rows, columns = _blocks(list(input.shape[2:]), kernel, dilation, padding, stride)
    padded = pad(input, [padding[1], padding[1], padding[0], padding[0]]) if any(padding) else input
    y, x = (
        (_functions["arange"](k) * d).unsqueeze(1) + _functions["arange"](n) * s
        for k, d, n, s in zip(kernel, dilation, (rows, columns), stride, strict=True)
    )
    blocks = padded[:, :, y.reshape(kernel[0], 1, rows, 1), x.reshape(1, kernel[1], 1, columns)]
    return blocks.reshape(batch, channels * math.prod(kernel), rows * columns)


@differentiable(name="Col2ImBackward0")
def _image(columns: Tensor, size: tuple, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> Tensor:
    channels = columns.shape[1] // math.prod(kernel)
    with enable_grad():
        image = columns.new_zeros(columns.shape[0], channels, *size).requires_grad_()
        return grad(_columns(image, kernel, dilation, padding, stride), image, columns)[0]


@_image.gradient("columns")
def _(g: Tensor, kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> Tensor:
    return _columns(g, kernel, dilation, padding, stride)


def _blocks(size: list[int], kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> list[int]:
    """How many blocks there are, down and across."""
    rows = zip(size, kernel, dilation, padding, stride, strict=True)
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in rows]


def _check_window(kernel: tuple, dilation: tuple, padding: tuple, stride: tuple) -> None:
    for name, values, least in (
        ("kernel size", kernel, 1),
        ("dilation", dilation, 1),
        ("padding", padding, 0),
        ("stride", stride, 1),
    ):
        if len(values) != 2:
            raise RuntimeError(f"It is expected {name.replace(' ', '_')} equals to 2, but got size {len(values)}")
        if min(values) < least:
            what = "non-negative" if least == 0 else "greater than zero"
            raise RuntimeError(f"{name} should be {what}, but got {name}: {values}")
