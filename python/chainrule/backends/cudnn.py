"""The switches of cuDNN, which convolutions on a GPU run by where it is installed."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

from .. import _core
from .switches import switched

enabled = True
benchmark = False  # is remembered only: the library's own estimate decides
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"


class _Switches(ModuleType):
    """A module that tells the core what is set in it."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("enabled", "allow_tf32", "deterministic", "fp32_precision"):
            tf32 = self.allow_tf32 if self.fp32_precision == "none" else self.fp32_precision == "tf32"
            _core._cuda.set_cudnn(bool(self.enabled), bool(tf32), bool(self.deterministic))


sys.modules[__name__].__class__ = _Switches


def version() -> int | None:
    """As one number, 91002 for 9.10.2; None without a GPU or without cuDNN."""
    return (_core._cuda.device_count()[0] and _core._cuda.cudnn_version()) or None


def is_available() -> bool:
    """Whether there are a GPU and cuDNN."""
    return version() is not None


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN can work with such a tensor: of floating numbers on a GPU."""
    return tensor.is_cuda and tensor.is_floating_point() and is_available()


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
