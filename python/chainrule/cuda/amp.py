"""torch.cuda.amp: the older names of what is in amp. Without CUDA they change nothing, and say so."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .. import _core, amp
from ..amp.renamed import RenamedGradScaler, warn_renamed

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):  # noqa: N801
    """amp.autocast("cuda", ...)."""

    def __init__(self, enabled: bool = True, dtype: _core.dtype = _core.float16, cache_enabled: bool = True):
        warn_renamed("cuda", "autocast")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(RenamedGradScaler):
    """amp.GradScaler("cuda", ...)."""

    _device = "cuda"


def custom_fwd(fwd: Callable | None = None, *, cast_inputs: _core.dtype | None = None) -> Callable[..., Any]:
    """amp.custom_fwd for "cuda"."""
    warn_renamed("cuda", "custom_fwd")
    return functools.partial(amp.custom_fwd, device_type="cuda")(fwd=fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable) -> Callable[..., Any]:
    """amp.custom_bwd for "cuda"."""
    warn_renamed("cuda", "custom_bwd")
    return functools.partial(amp.custom_bwd, device_type="cuda")(bwd)


# PyTorch has these names in files, from where programs import them, too.
__path__: list[str] = []
for _name in ("autocast_mode", "grad_scaler"):
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
common = SimpleNamespace(amp_definitely_not_available=lambda: True)  # what PyTorch has in a file of that name
