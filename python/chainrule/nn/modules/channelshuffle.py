"""Channels in another order, as a module."""

from __future__ import annotations

from ..._core import Tensor
from .. import functional as F  # noqa: N812
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Channels in another order: first those that are first in their group, and so on.

    >>> torch.nn.ChannelShuffle(2)(torch.arange(4).view(1, 4, 1)).flatten()
    tensor([0, 2, 1, 3])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
