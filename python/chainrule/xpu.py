"""torch.xpu, Intel's GPUs: not here; see compat/absent_device.py."""

from .compat.absent_device import *  # noqa: F403
from .compat.absent_device import work

_WORK = """
empty_cache synchronize current_device set_device device current_stream get_device_name get_device_properties
get_device_capability memory_allocated max_memory_allocated memory_reserved max_memory_reserved mem_get_info
reset_peak_memory_stats get_rng_state get_rng_state_all set_rng_state set_rng_state_all is_current_stream_capturing
"""
globals().update(work("xpu", _WORK))


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False: there is no such device."""
    return False
