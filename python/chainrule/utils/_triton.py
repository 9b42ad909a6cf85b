"""torch.utils._triton: whether there is Triton; chainrule runs on the CPU."""


def has_triton() -> bool:
    """False."""
    return False


def has_triton_package() -> bool:
    """False: nothing would use it."""
    return False


has_triton_tma = has_triton_tma_device = has_triton
