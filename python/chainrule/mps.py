"""torch.mps, Apple's Metal: not here; see compat/absent_device.py."""

from .compat.absent_device import *  # noqa: F403
from .compat.absent_device import work

_WORK = """
empty_cache synchronize get_rng_state set_rng_state current_allocated_memory driver_allocated_memory
recommended_max_memory set_per_process_memory_fraction
"""
globals().update(work("mps", _WORK))
