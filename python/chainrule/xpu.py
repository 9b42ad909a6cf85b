"""torch.xpu, Intel's GPUs: not here. Questions are answered, seeds are taken, work is refused."""

from .cuda import device_count, is_available, manual_seed, manual_seed_all, seed
from .refusal import refused

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all", "seed", "synchronize"]

_NONE = "chainrule runs on the CPU"
empty_cache = refused("xpu.empty_cache", _NONE)
synchronize = refused("xpu.synchronize", _NONE)
