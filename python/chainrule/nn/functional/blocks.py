"""Sliding blocks of an image as columns, and back."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ..sizes import _pair
from .core import core

_im2col, _col2im = core("im2col"), core("col2im")


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The blocks of (N, C, H, W) or (C, H, W) as (N, C * kernel, blocks)."""
    return _im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Blocks added up to an image of output_size: what unfold's gradient does."""
    return _col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
