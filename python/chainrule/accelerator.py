"""torch.accelerator: the device beside the CPU, which is a GPU where there is one."""

from __future__ import annotations

from typing import Any

from . import _core, cuda
from .cuda import (
    device_count,
    empty_cache,
    is_available,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "get_device_capability",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]
_NONE = "Cannot access accelerator device when none is available: chainrule runs on the CPU"


def current_accelerator(check_available: bool = False) -> _core.device | None:
    """device("cuda") where there is a GPU, else None."""
    return _core.device("cuda") if device_count() else None


def _index(function: str, device: Any = None) -> int:
    if not device_count():
        raise RuntimeError(f"torch.accelerator.{function}: {_NONE}")
    place = None if device is None or isinstance(device, int) else _core.device(device)
    if place is not None and place.type != "cuda":
        raise ValueError(f"{place.type} doesn't match the current accelerator cuda.")
    return cuda.device_index(device)


def current_device_index() -> int:
    """The number of the current GPU."""
    return _index("current_device_index")


def set_device_index(device: Any, /) -> None:
    """Chooses the current GPU; a negative number changes nothing."""
    cuda.set_device(device if isinstance(device, int) and device < 0 else _index("set_device_index", device))


current_device_idx, set_device_idx = current_device_index, set_device_index


def current_stream(device: Any = None, /) -> cuda.Stream:
    """The stream on which a GPU is asked for work."""
    return cuda.current_stream(_index("current_stream", device))


def set_stream(stream: cuda.Stream) -> None:
    """Makes a stream, and its GPU, the current one."""
    _index("set_stream")
    cuda.set_stream(stream)


def synchronize(device: Any = None, /) -> None:
    """Waits until the GPU has done all that it was asked for."""
    cuda.synchronize(_index("synchronize", device))


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """(free, total): the bytes of a GPU's memory."""
    return cuda.mem_get_info(_index("get_memory_info", device_index))


def get_device_capability(device: Any = None, /) -> dict[str, Any]:
    """What a GPU can calculate with."""
    index = _index("get_device_capability", device)
    names = ("bool", "uint8", "int8", "int16", "int32", "int64")
    names += ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
    dtypes = {getattr(_core, name) for name in names}
    return {"supported_dtypes": dtypes, "compute_capability": cuda.get_device_capability(index)}


class device_index(cuda.device):  # noqa: N801
    """Chooses the current GPU for the time of a block; None changes nothing."""
