"""A device of another vendor: not here. Questions are answered, seeds are taken, work is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ..cuda import device_count, is_available, manual_seed, manual_seed_all, seed
from .refusal import ON_THE_CPU, refused

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all", "seed"]


def work(device: str) -> tuple[Callable[..., NoReturn], Callable[..., NoReturn]]:
    """Its `empty_cache` and `synchronize`."""
    return refused(f"{device}.empty_cache", ON_THE_CPU), refused(f"{device}.synchronize", ON_THE_CPU)
