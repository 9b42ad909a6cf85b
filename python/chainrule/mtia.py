"""torch.mtia, Meta's accelerator: not here. Questions are answered, seeds are taken, work is refused."""

from .cuda import device_count, is_available, manual_seed, manual_seed_all, seed
from .refusal import refused

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all", "seed", "synchronize"]

_NONE = "chainrule runs on the CPU"
empty_cache = refused("mtia.empty_cache", _NONE)
synchronize = refused("mtia.synchronize", _NONE)
