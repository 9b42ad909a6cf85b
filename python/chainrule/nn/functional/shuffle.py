"""Moving elements between channels and space: the core's own functions."""

from __future__ import annotations

from .core import core

pixel_shuffle = core("pixel_shuffle")
pixel_unshuffle = core("pixel_unshuffle")
channel_shuffle = core("channel_shuffle")
native_channel_shuffle = channel_shuffle
