"""A block in which PyTorch's tracer reads x[i] as an operation."""

from __future__ import annotations

from typing import Any


class TransformGetItemToIndex:
    """An ordinary block: x[i] with a batched i is an operation under chainrule's vmap anyway."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        pass
