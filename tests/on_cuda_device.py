"""Which GPU tests run on: a real one if there is one, else the emulated one."""

from __future__ import annotations

import ctypes
import os

import emulated_gpu


def is_real() -> bool:
    """Whether the system's driver finds a GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def choose() -> None:
    """For this process, before anything touches a GPU."""
    if not is_real():
        os.environ.update(emulated_gpu.environment())
