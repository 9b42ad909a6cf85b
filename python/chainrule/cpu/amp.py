"""torch.cpu.amp: the older names of what is in amp."""

from __future__ import annotations

from .. import _core, amp
from ..amp.renamed import RenamedGradScaler, warn_renamed

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):  # noqa: N801
    """amp.autocast("cpu", ...)."""

    def __init__(self, enabled: bool = True, dtype: _core.dtype = _core.bfloat16, cache_enabled: bool = True):
        warn_renamed("cpu", "autocast")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(RenamedGradScaler):
    """amp.GradScaler("cpu", ...)."""

    _device = "cpu"
