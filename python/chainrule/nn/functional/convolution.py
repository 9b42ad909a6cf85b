"""Convolutions: the core's own functions."""

from __future__ import annotations

from .core import core

conv1d = core("conv1d")
conv2d = core("conv2d")
conv3d = core("conv3d")
conv_transpose1d = core("conv_transpose1d")
conv_transpose2d = core("conv_transpose2d")
conv_transpose3d = core("conv_transpose3d")
conv_tbc = core("conv_tbc")
