"""What packages ask PyTorch's compiler."""


def is_compile_supported(device_type: str) -> bool:
    """False: chainrule does not compile."""
    return False
