"""Channels in another order, as a module."""

from __future__ import annotations

from ..._core import Tensor
from .. import functional as F  # noqa: N812
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Channels in another order: first those that are first in their group, and so on."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
