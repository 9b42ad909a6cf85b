"""A device of another vendor: not here. Questions are answered, seeds are taken, work is refused."""

from __future__ import annotations

from typing import Any

from ..cuda import device_count, is_available, manual_seed, manual_seed_all, seed
from .refusal import ON_THE_CPU, refused

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all", "seed"]


def work(device: str, names: str) -> dict[str, Any]:
    """Functions of the device's module, which raise."""
    return {name: refused(f"{device}.{name}", ON_THE_CPU) for name in names.split()}
