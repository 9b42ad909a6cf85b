"""Convolutions."""

from __future__ import annotations

from ..._core import Tensor
from .core import core

conv1d = core("conv1d")
conv2d = core("conv2d")
conv3d = core("conv3d")
conv_transpose1d = core("conv_transpose1d")
conv_transpose2d = core("conv_transpose2d")
conv_transpose3d = core("conv_transpose3d")


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """conv1d of (length, batch, channels) with a weight (kernel, in, out)."""
    moved = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad)
    return moved.permute(2, 0, 1)
