"""torch.utils.data._utils.pin_memory: batches in memory from which a GPU copies by itself."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...pytree import tree_map

__all__ = ["pin_memory"]


def pin_memory(data: Any, device: Any = None) -> Any:
    """The data with each tensor's pin_memory(); objects that have the method are asked."""

    def pinned(value: Any) -> Any:
        return value.pin_memory() if isinstance(value, Tensor) or hasattr(value, "pin_memory") else value

    return tree_map(pinned, data)
