"""torch.cpu.amp: the older names of what is in amp."""

from __future__ import annotations

from .. import _core, amp
from ..amp.renamed import warn_renamed

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):  # noqa: N801
    """amp.autocast("cpu", ...)."""

    def __init__(self, enabled: bool = True, dtype: _core.dtype = _core.bfloat16, cache_enabled: bool = True):
        warn_renamed("cpu", "autocast")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """amp.GradScaler("cpu", ...)."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        warn_renamed("cpu", "GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
