"""torch.cpu: the one device, in the words of the others."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """The CPU."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one."""


def synchronize(device: Any = None) -> None:
    """Does nothing: operations are complete when they return."""
