"""Sliding blocks of an image as columns, and back."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ..sizes import _pair
from .core import core

_im2col, _col2im = core("im2col"), core("col2im")


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The blocks of (N, C, H, W) or (C, H, W) as (N, C * kernel, blocks).

    Shape and dtype: (N, C * kernel, blocks) of (N, C, H, W), or without N; the dtype of the input.
    Derivative: the columns of g added to where they were taken from

    >>> torch.nn.functional.unfold(torch.arange(4.).reshape(1, 1, 2, 2), (1, 2))
    tensor([[[0., 2.],
             [1., 3.]]])
    """
    return _im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Blocks added up to an image of output_size: what unfold's gradient does.

    Shape and dtype: (N, C, H, W) of (N, C * kernel, blocks), or without N; the dtype of the input.
    Derivative: the columns of g, as unfold gives them

    >>> torch.nn.functional.fold(torch.ones(1, 4, 2), output_size=(2, 3), kernel_size=2)
    tensor([[[[1., 2., 1.],
              [1., 2., 1.]]]])
    """
    return _col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
