"""torch.cuda.amp: the older names of what is in amp. Without CUDA they change nothing, and say so."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import _core, amp

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _renamed(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(amp.autocast):  # noqa: N801
    """amp.autocast("cuda", ...)."""

    def __init__(self, enabled: bool = True, dtype: _core.dtype = _core.float16, cache_enabled: bool = True):
        _renamed("autocast")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """amp.GradScaler("cuda", ...)."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        _renamed("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable | None = None, *, cast_inputs: _core.dtype | None = None) -> Callable[..., Any]:
    """amp.custom_fwd for "cuda"."""
    _renamed("custom_fwd")
    return functools.partial(amp.custom_fwd, device_type="cuda")(fwd=fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable) -> Callable[..., Any]:
    """amp.custom_bwd for "cuda"."""
    _renamed("custom_bwd")
    return functools.partial(amp.custom_bwd, device_type="cuda")(bwd)
