"""The memory of GPUs: what is used, what is kept, and by whom."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .. import _core
from ..compat.refusal import refused, refused_class
from ..user_warning import warn_user
from .devices import NONE, device_count, device_index, is_initialized, needs_gpu

__all__ = [
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "device_memory_used",
    "empty_cache",
    "get_allocator_backend",
    "get_per_process_memory_fraction",
    "largest_lines",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
]
_gpu = _core._cuda


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """All that is counted, by PyTorch's names: "allocated_bytes.all.current", "segment.small_pool.peak", ..."""
    counts = _gpu.memory(device_index(device)) if is_initialized() else {}
    return OrderedDict(sorted(counts.items()))


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """memory_stats(), a dictionary for each part of the names."""
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        inner = nested
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return nested


def memory_allocated(device: Any = None) -> int:
    """The bytes of all tensors on a GPU."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that all tensors on a GPU ever had together."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: Any = None) -> int:
    """The bytes that were taken from the driver: those of tensors, and those that are kept for the next ones."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that were ever taken from the driver together."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def memory_cached(device: Any = None) -> int:
    """The older name of memory_reserved()."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: Any = None) -> int:
    """The older name of max_memory_reserved()."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _renamed(old: str, new: str) -> None:
    if device_count():
        warn_user(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning)


def reset_peak_memory_stats(device: Any = None) -> None:
    """From now on, peaks are those from now on."""
    if device_count():
        _gpu.reset_peaks(device_index(device))


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """From now on, what was allocated and freed is counted from now on."""
    if device_count():
        _gpu.reset_totals(device_index(device))


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def empty_cache() -> None:
    """Gives back to the driver what is kept for the next tensors."""
    if is_initialized():
        _gpu.empty_cache()


@needs_gpu
def mem_get_info(device: Any = None) -> tuple[int, int]:
    """(free, total): the bytes of a GPU's memory, as the driver sees them."""
    return _gpu.memory_info(device_index(device))


@needs_gpu
def device_memory_used(device: Any = None) -> int:
    """The bytes of a GPU's memory that anybody uses."""
    free, total = mem_get_info(device)
    return total - free


@needs_gpu
def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """How much of a GPU's memory this process may take: what is beyond it raises OutOfMemoryError.

    Args:
        fraction: from 0 to 1.
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _gpu.set_memory_fraction(fraction, device_index(device))


@needs_gpu
def get_per_process_memory_fraction(device: Any = None) -> float:
    """How much of a GPU's memory this process may take."""
    return _gpu.memory_fraction(device_index(device))


# ---- memory for other libraries

_lent: dict[int, int] = {}  # which GPU an address belongs to


@needs_gpu
def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """Memory of a GPU for another library: its address.

    Args:
        size: in bytes.
        stream: on which it is used first, or its number; the current one if None.
    """
    index = device_index(device)
    if stream is None:
        number = _gpu.current_stream(index)
    elif isinstance(stream, int):
        number = stream
    elif hasattr(stream, "cuda_stream"):
        number = stream.cuda_stream
    else:
        raise TypeError(
            "Invalid type for stream argument, must be `torch.cuda.Stream` or `int` representing a pointer to a "
            "existing stream"
        )
    address = _gpu.allocate(size, index, number)
    _lent[address] = index
    return address


@needs_gpu
def caching_allocator_delete(mem_ptr: int) -> None:
    """Takes the memory of caching_allocator_alloc() back."""
    if mem_ptr not in _lent:
        raise RuntimeError(f"invalid device pointer: {mem_ptr:#x}")
    _gpu.release(mem_ptr, _lent.pop(mem_ptr))


def get_allocator_backend() -> str:
    """ "native": the allocator is chainrule's own."""
    if not device_count():
        raise AssertionError(f"torch.cuda.get_allocator_backend: {NONE}")
    return "native"


# ---- for people


def largest_lines(device: Any = None, most: int = 10) -> list[tuple[str, int, int]]:
    """The lines of the program whose tensors hold the most memory: (line, bytes, tensors); chainrule's own."""
    return _gpu.largest_lines(device_index(device), most) if is_initialized() else []


_ROWS = (
    ("Allocated memory", "allocated_bytes", True),
    ("Active memory", "active_bytes", True),
    ("Requested memory", "requested_bytes", True),
    ("GPU reserved memory", "reserved_bytes", True),
    ("Non-releasable memory", "inactive_split_bytes", True),
    ("Allocations", "allocation", False),
    ("Active allocs", "active", False),
    ("GPU reserved segments", "segment", False),
    ("Non-releasable allocs", "inactive_split", False),
)
_POOLS = (("", "all"), ("      from large pool", "large_pool"), ("      from small pool", "small_pool"))
_COLUMNS = ("current", "peak", "allocated", "freed")


def _size(n: int) -> str:
    """Bytes in a unit in which there are at most four digits or so, as in PyTorch's table."""
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
    unit = 0
    while unit + 1 < len(units) and abs(n) >= 768 * 1024:
        n, unit = n // 1024, unit + 1
    if unit == 0 and abs(n) >= 1024:
        n, unit = n // 1024, 1
    return f"{n:6d} {units[unit]:>3}"


def _number(n: int) -> str:
    if abs(n) < 1_000_000:
        return f"{n:7d}  "
    thousands = n // 1000
    return f"{thousands:7d} K" if abs(thousands) < 1_000_000 else f"{thousands // 1000:7d} M"


@needs_gpu
def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """A table of memory_stats(), and the lines that hold the most.

    Args:
        abbreviated: without the rows for large and small blocks.
    """
    index = device_index(device)
    stats = memory_stats(index)
    width, rule = 75, "|" + "=" * 75 + "|"
    thin = "|" + "-" * 75 + "|"
    head = f"| {'PyTorch CUDA memory summary, device ID ' + str(index):^{width - 2}} |"
    ooms = f"|  {'CUDA OOMs: ' + str(stats.get('num_ooms', 0)):<36}|   "
    ooms += f"{'cudaMalloc retries: ' + str(stats.get('num_alloc_retries', 0)):<33}|"
    titles = "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |"
    lines = [rule, head, thin, ooms, rule, titles]
    for title, name, is_size in _ROWS:
        lines.append(thin)
        for pool_title, pool in _POOLS[: 1 if abbreviated else 3]:
            cells = [stats.get(f"{name}.{pool}.{column}", 0) for column in _COLUMNS]
            shown = " | ".join(_size(n) if is_size else f"{_number(n):>10}" for n in cells)
            lines.append(f"| {pool_title or title:<22}| {shown} |")
    lines.append(rule)
    lines += [f"{_size(size).strip():>12} in {count:5d}: {line}" for line, size, count in largest_lines(index, 5)]
    return "\n".join(lines) + "\n"


# ---- what is left out

_HISTORY = "chainrule keeps no history of allocations; torch.cuda.largest_lines() says which lines hold the most memory"
memory_snapshot, _dump_snapshot, _record_memory_history = (
    refused(f"cuda.memory.{_name}", f"{NONE}; {_HISTORY}" if _name == "memory_snapshot" else _HISTORY, AssertionError)
    for _name in ("memory_snapshot", "_dump_snapshot", "_record_memory_history")
)
_ALLOCATOR = "chainrule has one allocator for GPUs, its own"
CUDAPluggableAllocator, MemPool = (
    refused_class(f"cuda.memory.{_name}", _ALLOCATOR, NotImplementedError)
    for _name in ("CUDAPluggableAllocator", "MemPool")
)
