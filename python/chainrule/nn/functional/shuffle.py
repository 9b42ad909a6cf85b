"""Moving elements between channels and space."""

from __future__ import annotations

from ... import _core
from ..._core import Tensor

_functions = _core.functions


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C * r * r, H, W) as (*, C, H * r, W * r).

    Shape and dtype: (*, C, H * r, W * r) for r = upscale_factor; the dtype of the input.
    Derivative: g with its pixels as channels again

    >>> torch.nn.functional.pixel_shuffle(torch.arange(4.).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    if input.dim() < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)"
        )
    r = upscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *batch, channels, height, width = input.shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(batch)
    blocks = input.reshape(*batch, channels // (r * r), r, r, height, width)
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return blocks.permute(order).reshape(*batch, channels // (r * r), height * r, width * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H * r, W * r) as (*, C * r * r, H, W).

    Shape and dtype: (*, C * r * r, H, W) for r = downscale_factor; the dtype of the input.
    Derivative: g with its channels as pixels again

    >>> torch.nn.functional.pixel_unshuffle(torch.arange(4.).reshape(1, 2, 2), 2).shape
    torch.Size([4, 1, 1])
    """
    if input.dim() < 3:
        raise RuntimeError(
            "pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.dim()} dimension(s)"
        )
    r = downscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *batch, channels, height, width = input.shape
    for name, size in (("height", height), ("width", width)):
        if size % r:
            index = -2 if name == "height" else -1
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, "
                f"but input.size({index})={size} is not divisible by {r}"
            )
    n = len(batch)
    blocks = input.reshape(*batch, channels, height // r, r, width // r, r)
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return blocks.permute(order).reshape(*batch, channels * r * r, height // r, width // r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of (N, C, ...) in another order: first those that are first in their group, and so on.

    Shape and dtype: Those of the input.
    Derivative: g with its channels put back

    >>> torch.nn.functional.channel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    if input.dim() < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    batch, channels, *rest = input.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    return input.reshape(batch, groups, channels // groups, *rest).transpose(1, 2).reshape(input.shape)


native_channel_shuffle = channel_shuffle
