"""The memory format of convolution weights."""

from __future__ import annotations

from typing import TypeVar

from ... import _core
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

T = TypeVar("T", bound=Module)


def _convert(module: T, memory_format: _core.memory_format, layers: tuple) -> T:
    for layer in module.modules():
        if isinstance(layer, layers):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: T, memory_format: _core.memory_format) -> T:
    """Converts the weights of all 2-D convolutions in the module.

    >>> layer = torch.nn.Conv2d(2, 2, 3)
    >>> _ = torch.nn.utils.convert_conv2d_weight_memory_format(layer, torch.channels_last)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: T, memory_format: _core.memory_format) -> T:
    """Converts the weights of all 3-D convolutions in the module.

    >>> layer = torch.nn.Conv3d(2, 2, 3)
    >>> _ = torch.nn.utils.convert_conv3d_weight_memory_format(layer, torch.channels_last_3d)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
