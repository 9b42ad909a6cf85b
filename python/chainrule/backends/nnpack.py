"""torch.backends.nnpack: chainrule has kernels of its own."""


def is_available() -> bool:
    """False."""
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Changes nothing; gives what was set before."""
    return (False,)
