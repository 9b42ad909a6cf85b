"""The switch of oneDNN, which chainrule does not use."""

from contextlib import AbstractContextManager

from .switches import switched

enabled = True
deterministic = False


def is_available() -> bool:
    """False."""
    return False


def flags(enabled: bool = False, deterministic: bool = False) -> AbstractContextManager[None]:
    """Sets the switches for the time of a block."""
    return switched(__name__, enabled=enabled, deterministic=deterministic)
