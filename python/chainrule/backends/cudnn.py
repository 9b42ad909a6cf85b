"""The switches of cuDNN, which chainrule does not use."""

from contextlib import AbstractContextManager

from .switches import switched

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None: there is no cuDNN."""


def is_acceptable(tensor: object) -> bool:
    """False: nothing is calculated by cuDNN."""
    return False


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> AbstractContextManager[None]:
    """Sets the switches for the time of a block."""
    return switched(
        __name__,
        enabled=enabled,
        benchmark=benchmark,
        benchmark_limit=benchmark_limit,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
        fp32_precision=fp32_precision,
    )
