"""torch.accelerator: whether there is any device but the CPU. There is none."""

from __future__ import annotations

from .compat.refusal import refused

_NONE = "Cannot access accelerator device when none is available: chainrule runs on the CPU"


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None."""


def empty_cache() -> None:
    """Does nothing: there is no cache."""


current_device_index = refused("accelerator.current_device_index", _NONE)
set_device_index = refused("accelerator.set_device_index", _NONE)
current_stream = refused("accelerator.current_stream", _NONE)
synchronize = refused("accelerator.synchronize", _NONE)
