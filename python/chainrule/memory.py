"""What tensors take of memory, and what is kept for the next ones."""

from __future__ import annotations

from . import _core

__all__ = ["reset_peak", "set_cache_limit", "statistics", "trim"]


def statistics() -> dict[str, int]:
    """Bytes in living tensors (`allocated`), the most there were (`peak_allocated`), and kept for reuse (`cached`)."""
    return _core.memory_statistics()


def reset_peak() -> None:
    """Lets `peak_allocated` begin anew at what is allocated now."""
    _core.reset_peak_memory()


def trim() -> None:
    """Gives the memory that is kept for reuse back to the system."""
    _core.trim_memory()


def set_cache_limit(limit: int) -> None:
    """Keeps at most `limit` bytes of freed memory for reuse: 512 MB unless it is set, nothing for 0."""
    _core.set_memory_cache_limit(limit)
