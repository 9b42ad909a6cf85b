"""The switch of opt_einsum, which chainrule does not use."""


def is_available() -> bool:
    """False."""
    return False


enabled = False
strategy = None
