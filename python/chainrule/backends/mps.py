"""Whether there is Apple's Metal: no."""


def is_available() -> bool:
    """False: chainrule runs on the CPU."""
    return False


def is_built() -> bool:
    """False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """False."""
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """False."""
    return False
