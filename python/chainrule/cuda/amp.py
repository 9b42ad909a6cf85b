"""torch.cuda.amp: mixed precision for a device that is not there, so that it does nothing and says so."""

from __future__ import annotations

from typing import Any

from .. import _core
from .. import amp as _amp
from ..amp import custom_bwd as custom_bwd
from ..amp import custom_fwd as custom_fwd


class autocast(_amp.autocast):  # noqa: N801
    """amp.autocast("cuda"): a block without autocast."""

    def __init__(self, enabled: bool = True, dtype: _core.dtype = _core.float16, cache_enabled: bool = True):
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """amp.GradScaler("cuda"): a scaler that changes nothing."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__("cuda", *args, **kwargs)
