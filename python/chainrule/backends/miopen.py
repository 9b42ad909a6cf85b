"""The switch of MIOpen, which chainrule does not use."""

from contextlib import AbstractContextManager

from .switches import switched

immediate = False


def flags(immediate: bool = False) -> AbstractContextManager[None]:
    """Sets the switch for the time of a block."""
    return switched(__name__, immediate=immediate)
